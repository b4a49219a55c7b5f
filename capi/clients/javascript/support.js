// What the methods of layer.js are made of.
'use strict';
const koffi = require('koffi');
const { functions: lib, constants, types } = require('./library.js').load();

if (Math.trunc(lib.tenon_version() / 100) !== Math.trunc(constants.TENON_VERSION / 100)) {
  throw new Error(`the library is Tenon ${lib.tenon_version_string()}, of another version than this package`);
}

// ---- errors and objects

/** A call that failed: nothing was written. */
class TenonError extends Error {
  constructor(status, message, cause) {
    super(`${lib.tenon_status_string(status)}: ${message}`, cause ? { cause } : undefined);
    this.name = 'TenonError';
    this.status = lib.tenon_status_string(status);
    this.code = status;
  }
}

function check(status, message) {
  if (status >= 0) return status;
  throw new TenonError(status, typeof message === 'string' ? message : message.toString('utf8', 0, message.indexOf(0)));
}

const wrong = (message) => new TenonError(constants.TENON_WRONG_SIZE, message);

function needed(name, value) {
  if (value !== null && value !== undefined) return value;
  throw new TenonError(constants.TENON_INVALID_ARGUMENT, `${name} is not there; a value is needed`);
}

/** What raw calls made, and what an object of it holds beside; of: the object that it is like. */
class Made {
  constructor(pointer, of) {
    this.pointer = pointer;
    this.of = of;
  }
}

// What is not disposed of is freed some time after nobody holds it.
const forgotten = new FinalizationRegistry((free) => free());

/** An object of the library. kept: functions of the user that the library may call for it. */
class Handle {
  #pointer;
  #free;

  constructor(made) {
    const { destroy } = new.target;
    const { pointer, of } = made instanceof Made ? made : new Made(made);
    this.#pointer = pointer;
    this.#free = () => destroy(pointer);
    Object.assign(this, { kept: of?.model?.kept ?? [] }, of);
    forgotten.register(this, this.#free, this);
  }

  /** The handle for the functions of raw. */
  get pointer() {
    if (this.#pointer === null) throw new Error(`this ${this.constructor.name} was disposed of`);
    return this.#pointer;
  }

  dispose() {
    if (this.#pointer === null) return;
    forgotten.unregister(this);
    this.#free();
    this.#pointer = null;
  }

  checked(status) {
    if (status < 0) throw new TenonError(status, this.message(), this.kept.map((one) => one.take()).find(Boolean));
  }

  /** The index of one of its things, or of those of its model or constraints, by name. */
  indexOf(kind, which) {
    if (typeof which !== 'string') return which;
    const owner = [this, this.model, this.constraints].find((one) => one?.constructor.finds[kind]);
    if (!owner) throw new RangeError(`there is no ${kind} '${which}' in this ${this.constructor.name.toLowerCase()}`);
    return owner[owner.constructor.finds[kind]](which);
  }
}
if (Symbol.dispose) Handle.prototype[Symbol.dispose] = Handle.prototype.dispose;

// A set is finished where it is used.
const pointerOf = (object) => (object ? (object.finish ? object.finish() : object).pointer : null);

// ---- arguments: in order, then by name in a last object, where what is no argument is a field of options

// fields: those of options that may stand in order too.
function taken(all, names, struct, more = [], fields = []) {
  const given = all.length > names.length && all[all.length - 1] == null ? all.slice(0, -1) : all;
  const last = given[given.length - 1];
  const keys = last && Object.getPrototypeOf(last) === Object.prototype && !('data' in last) ? last : null;
  const count = keys ? given.length - 1 : given.length;
  if (count > names.length) throw new TypeError(`${count} arguments, and not ${names.join(', ')}`);
  const a = {};
  for (let i = 0; i < count; ++i) a[names[i]] = given[i];
  for (const name in keys) {
    if (name === 'out' || names.includes(name) || more.includes(name)) a[name] = keys[name];
    else if (!struct) throw new TypeError(`there is no argument '${name}'; there are: ${names.join(', ')}`);
    else if (name === 'options' || (name === 'solve' && struct === 'tenon_solve_options')) a.options = keys[name];
    else a.options = { ...a.options, [name]: keys[name] };
  }
  for (const name of fields) if (name in a) a.options = { ...a.options, [name]: a[name] };
  return a;
}

function unknown(options, names) {
  const odd = Object.keys(options).find((name) => !names.includes(name));
  if (odd) throw new TypeError(`there is no option '${odd}'; there are: ${names.join(', ')}`);
}

// ---- numbers

function whole(name, value) {
  const number = typeof value === 'bigint' ? value : Number(value);
  if (typeof number === 'bigint' ? number >= 0n : Number.isInteger(number) && number >= 0) return number;
  throw new RangeError(`${name} is ${value}; a whole number is needed`);
}

// The product of sizes: an array of it has so many numbers, and no fewer.
function size(...sizes) {
  const all = sizes.reduce((product, each) => product * Number(whole('a size', each)), 1);
  if (!Number.isSafeInteger(all * 8)) throw new RangeError(`${sizes.join(' x ')} numbers are more than an array has`);
  return all;
}

// An array without numbers has memory too: NULL would be no array.
const there = (array) => (array.length ? array : new array.constructor(1).subarray(0, 0));
const array = (value, Type) => (value === null || value === undefined ? null : there(value instanceof Type ? value : Type.from(value)));
const doubles = (value) => array(value, Float64Array);
const integers = (value) => array(value, Int32Array);
const length = (value) => (value === null ? 0 : value instanceof Matrix ? value.data.length : value.length);
const leading = (matrix) => matrix?.leading ?? 0;
const text = (value, bytes) => (value === null || value === undefined ? null : bytes ? Buffer.from(value) : value);
const buffer = () => Buffer.alloc(1024);

function written(name, value, Type) {
  if (value === null || value === undefined || value instanceof Matrix) return value ?? null;
  if (value instanceof Type) return there(value);
  throw new TypeError(`${name} is written: give a ${Type.name}`);
}

// The memory for what is written; `out` is the first.
function room(a, name, Type, make, isFirst) {
  const value = a[name] === undefined && isFirst ? a.out : a[name];
  return value === undefined ? make() : Type ? written(name, value, Type) : value;
}

function exactly(name, value, count) {
  if (value.length !== count) throw wrong(`${name}: ${value.length} numbers; ${count} are needed`);
  return Array.from(value);
}

/** A column-major matrix, maybe a part of a larger one: element (i, j) is data[i + j * leading]. */
class Matrix {
  constructor(rows, columns, data = new Float64Array(size(rows, columns)), leading = Math.max(rows, 1)) {
    const least = rows && columns ? size(columns - 1, leading) + rows : 0;
    if (data.length < least || leading < Math.max(rows, 1)) {
      throw wrong(`${data.length} numbers for ${rows} x ${columns} of leading dimension ${leading}`);
    }
    Object.assign(this, { rows, columns, data, leading });
  }

  get(i, j) {
    return this.data[i + j * this.leading];
  }

  set(i, j, value) {
    this.data[i + j * this.leading] = value;
  }

  column(j) {
    return this.data.subarray(j * this.leading, j * this.leading + this.rows);
  }

  fit(name, rows, columns) {
    if (!(this.data instanceof Float64Array)) throw new TypeError(`${name}: a matrix is of a Float64Array`);
    if (this.rows !== rows || this.columns !== columns) {
      throw wrong(`${name}: ${this.rows} x ${this.columns}; ${rows} x ${columns} are needed`);
    }
  }
}

/** The shape of a result of derivatives: of one that options want row-major that of the transpose. */
function turned(options, rows, columns) {
  return options?.rowMajor ? [columns, rows] : [rows, columns];
}

// ---- constants by their names in lower case; layer.js has them

const enums = {};

function constant(kind, value) {
  if (Array.isArray(value)) return value.reduce((bits, one) => bits | constant(kind, one), 0);
  if (typeof value !== 'string') return Number(value);
  const { values } = enums[kind];
  const name = kind === 'precision' && value === 'float' ? 'single' : value;
  if (Object.hasOwn(values, name)) return values[name];
  throw new TenonError(constants.TENON_NOT_FOUND, `there is no ${kind} '${value}'; there are: ${Object.keys(values).join(', ')}`);
}

function nameOf(kind, value) {
  const { bits, values } = enums[kind];
  return bits ? value : Object.keys(values).find((name) => values[name] === value) ?? value;
}

const mask = (kind, value) => (Array.isArray(value) ? value.reduce((bits, one) => bits | (1 << constant(kind, one)), 0) : value);

// ---- structs, and functions of the user

function prepared(struct, init) {
  const result = {};
  check(init(result, koffi.sizeof(types[struct])), struct);
  return result;
}

// A function of the user for C, until the call is over; what it throws must not reach the library.
function register(scope, callback, type) {
  scope.pointer = koffi.register((user, ...given) => {
    try {
      callback(...given);
    } catch (error) {
      scope.thrown = error;
    }
  }, koffi.pointer(types[type]));
  return scope.pointer;
}

function over({ pointer, thrown }) {
  if (pointer) koffi.unregister(pointer);
  if (thrown) throw thrown;
}

// The same of one that lives as long as `kept` of what may call it. arguments: what the user gets of those of C.
const forgottenFunctions = new FinalizationRegistry((pointer) => koffi.unregister(pointer));

function lasting(object, callback, type, given) {
  const box = {}; // koffi holds the function, which must not hold `one`: that is what its life hangs on
  const one = { take: () => [box.thrown, (box.thrown = undefined)][0] };
  const view = (pointer, length) => new Float64Array(koffi.view(pointer, 8 * length));
  const pointer = koffi.register((user, ...all) => {
    try {
      callback(...given(view, ...all));
      return constants.TENON_OK;
    } catch (error) {
      box.thrown = error;
      return constants.TENON_INVALID_ARGUMENT;
    }
  }, koffi.pointer(types[type]));
  forgottenFunctions.register(one, pointer);
  object.kept = [...object.kept, one];
  return pointer;
}

module.exports = {
  Handle, Made, Matrix, TenonError, buffer, check, constant, constants, doubles, enums, exactly, integers, koffi, lasting, leading,
  length, lib, mask, nameOf, needed, over, pointerOf, prepared, register, room, size, taken, text, turned, types, unknown, whole, written,
  wrong,
};
