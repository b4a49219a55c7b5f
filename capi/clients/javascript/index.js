// Tenon: dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops. Classes on
// raw.js; types and a word on each method are in index.d.ts, and tenon.h is the manual of every call.
'use strict';
const koffi = require('koffi');

const { functions: lib, constants, types } = require('./library.js').load();
if (Math.trunc(lib.tenon_version() / 100) !== Math.trunc(constants.TENON_VERSION / 100)) {
  throw new Error(`the library is Tenon ${lib.tenon_version_string()}, of another version than this package`);
}
const WORLD = constants.TENON_WORLD;

// ---- calls

/** A call that failed: nothing was written. */
class TenonError extends Error {
  constructor(status, message) {
    super(`${lib.tenon_status_string(status)}: ${message}`);
    this.name = 'TenonError';
    this.status = lib.tenon_status_string(status);
    this.code = status;
  }
}

// Of calls that take a message at their end.
function call(name, ...given) {
  const message = Buffer.alloc(1024);
  const status = lib[name](...given, message, message.length);
  if (status < 0) throw new TenonError(status, message.toString('utf8', 0, message.indexOf(0)));
  return status;
}

function check(status, message) {
  if (status < 0) throw new TenonError(status, message);
  return status;
}

// What is not disposed of is freed some time after nobody holds it.
const forgotten = new FinalizationRegistry(({ destroy, pointer }) => lib[destroy](pointer));

/** An object of the library. */
class Handle {
  #pointer;
  #destroy;

  constructor(pointer, destroy) {
    this.#pointer = pointer;
    this.#destroy = destroy;
    forgotten.register(this, { destroy, pointer }, this);
  }

  /** The handle for the functions of raw. */
  get pointer() {
    if (this.#pointer === null) throw new Error(`this ${this.constructor.name} was disposed of`);
    return this.#pointer;
  }

  dispose() {
    if (this.#pointer === null) return;
    forgotten.unregister(this);
    lib[this.#destroy](this.#pointer);
    this.#pointer = null;
  }
}
if (Symbol.dispose) Handle.prototype[Symbol.dispose] = Handle.prototype.dispose;

// ---- arguments

// Pointer and count of an input; of none where it is absent.
function given(array) {
  if (array === null || array === undefined) return [null, 0];
  const numbers = array instanceof Float64Array ? array : Float64Array.from(array);
  return [numbers, numbers.length];
}

function written(array, what) {
  if (!(array instanceof Float64Array)) throw new TypeError(`${what} is written: give a Float64Array`);
  return [array, array.length];
}

function whole(name, value) {
  const number = Number(value);
  if (!(Number.isInteger(number) && number >= 0)) throw new RangeError(`${name} is ${value}; a whole number is needed`);
  return number;
}

// The product of sizes: an array of it has so many numbers, and no fewer.
function size(...sizes) {
  const all = sizes.reduce((product, each) => product * whole('a size', each), 1);
  if (!Number.isSafeInteger(all * 8)) throw new RangeError(`${sizes.join(' x ')} numbers are more than an array has`);
  return all;
}

/** A column-major result: element (i, j) is data[i + j * rows]. */
class Matrix {
  constructor(rows, columns, data = new Float64Array(size(rows, columns))) {
    if (data.length !== size(rows, columns)) throw new RangeError(`${data.length} numbers for ${rows} x ${columns}`);
    Object.assign(this, { rows, columns, data });
  }

  get(i, j) {
    return this.data[i + j * this.rows];
  }

  set(i, j, value) {
    this.data[i + j * this.rows] = value;
  }

  column(j) {
    return this.data.subarray(j * this.rows, (j + 1) * this.rows);
  }

  get given() {
    return [this.data, this.data.length, Math.max(this.rows, 1)];
  }
}

// The kind of constants that the text of a field names.
const KINDS = {
  base: 'base',
  loop_treatment: 'loop_treatment',
  treatment: 'loop_treatment',
  axes: 'axes',
  instruction_set: 'instruction_set',
  precision: 'precision',
  integrator: 'integrator',
  split_base: 'split',
  type: 'joint_type',
};

function constant(kind, value) {
  if (typeof value !== 'string') return value;
  const number = [0];
  const name = kind === 'precision' && value === 'float' ? 'single' : value;
  const number_of_kind = constants[`TENON_CONSTANT_${kind.toUpperCase()}`];
  const status = lib.tenon_constant_from_name(number_of_kind, name, number);
  if (status < 0) {
    const all = Array.from({ length: lib.tenon_constant_count(number_of_kind) },
      (_, i) => lib.tenon_constant_name(number_of_kind, i));
    throw new TenonError(status, `there is no ${kind} '${value}'; there are: ${all.join(', ')}`);
  }
  return number[0];
}

function prepared(struct) {
  const result = {};
  check(lib[`${struct}_init`](result, koffi.sizeof(types[struct])), struct);
  return result;
}

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

// Options by their names in camel case, over the defaults. Constants may be their names in lower case.
function options(struct, values, method = 'method') {
  if (values === null || values === undefined) return null;
  const result = prepared(struct);
  for (const [name, value] of Object.entries(values)) {
    const field = snake(name);
    if (!(field in result) || field === 'struct_size' || field === 'reserved') {
      const known = Object.keys(result).filter((f) => !/^(struct_size|reserved|.*_count)$/.test(f));
      throw new TypeError(`there is no option '${name}'; there are: ${known.map(camel).join(', ')}`);
    }
    if (value === undefined) continue;
    if (`${field}_count` in result) [result[field], result[`${field}_count`]] = given(value);
    else if (field === 'rows' && typeof value === 'string') result[field] = rowBits(value);
    else if (field === 'solve') result[field] = koffi.as(options('tenon_solve_options', value), 'tenon_solve_options *');
    else if (typeof value === 'boolean') result[field] = Number(value);
    else if (field === 'method') result[field] = constant(method, value);
    else result[field] = field in KINDS ? constant(KINDS[field], value) : value;
  }
  return result;
}

function rowBits(name) {
  const bits = constants[`TENON_ROWS_${name.toUpperCase()}`];
  if (bits === undefined) throw new TypeError(`there are no rows '${name}'; there are: angular, linear, all, hinge`);
  return bits;
}

// An information struct by names in camel case, without what only the library needs.
function record(struct, fill) {
  const filled = prepared(struct);
  fill(filled);
  const result = {};
  for (const [name, value] of Object.entries(filled)) {
    if (name !== 'struct_size' && name !== 'reserved') result[camel(name)] = value;
  }
  return result;
}

function find(name, object, which) {
  if (typeof which !== 'string') return which;
  const index = [-1];
  call(name, object.pointer, which, index);
  return index[0];
}

// The index of a constraint of a workspace or batch, which may have no set.
function row(object, constraint) {
  if (typeof constraint !== 'string') return constraint;
  const kind = object.constructor.name.toLowerCase();
  if (object.constraints === null) throw new RangeError(`there is no constraint '${constraint}' in this ${kind}`);
  return object.constraints.index(constraint);
}

// ---- models

class Model extends Handle {
  static load(path, how) {
    return Model.#made('tenon_model_load_urdf', [String(path)], how);
  }

  static parse(urdf, how) {
    const bytes = Buffer.from(urdf);
    return Model.#made('tenon_model_parse_urdf', [bytes, bytes.length], how);
  }

  static #made(name, source, how) {
    const model = [null];
    call(name, ...source, options('tenon_model_options', how), model);
    return new Model(model[0]);
  }

  constructor(pointer) {
    super(pointer, 'tenon_model_destroy');
    this.name = lib.tenon_model_name(pointer);
    this.floatingBase = lib.tenon_model_floating_base(pointer) === 1;
    for (const name of ['nq', 'nv', 'nyq', 'ny', 'link_count', 'joint_count', 'body_count', 'loop_count', 'depth']) {
      this[camel(name)] = lib[`tenon_model_${name}`](pointer);
    }
    this.totalMass = lib.tenon_model_total_mass(pointer);
  }

  get links() {
    return Array.from({ length: this.linkCount }, (_, i) => lib.tenon_model_link_name(this.pointer, i));
  }

  get joints() {
    return Array.from({ length: this.jointCount }, (_, i) => lib.tenon_model_joint_name(this.pointer, i));
  }

  linkIndex(link) {
    return find('tenon_model_find_link', this, link);
  }

  jointIndex(joint) {
    return find('tenon_model_find_joint', this, joint);
  }

  link(link) {
    const index = this.linkIndex(link);
    const fill = (info) => check(lib.tenon_model_link_info(this.pointer, index, info), `no link number ${index}`);
    return record('tenon_link_info', fill);
  }

  joint(joint) {
    const index = this.jointIndex(joint);
    const fill = (info) => check(lib.tenon_model_joint_info(this.pointer, index, info), `no joint number ${index}`);
    const known = record('tenon_joint_info', fill);
    return { ...known, type: lib.tenon_constant_name(constants.TENON_CONSTANT_JOINT_TYPE, known.type) };
  }

  describe() {
    const needed = [0];
    check(lib.tenon_model_describe(this.pointer, null, 0, needed), 'describe');
    const text = Buffer.alloc(Number(needed[0]));
    check(lib.tenon_model_describe(this.pointer, text, text.length, null), 'describe');
    return text.toString('utf8', 0, text.length - 1);
  }

  get warnings() {
    const length = lib.tenon_model_warning_count(this.pointer);
    return Array.from({ length }, (_, i) => lib.tenon_model_warning(this.pointer, i));
  }
}

// ---- constraints

class Constraints extends Handle {
  constructor(model) {
    const set = [null];
    call('tenon_constraints_create', model.pointer, set);
    super(set[0], 'tenon_constraints_destroy');
    this.model = model;
    this.finished = false;
  }

  #add(name, link, what, how) {
    const index = [-1];
    const chosen = options('tenon_constraint_options', how);
    call(`tenon_constraints_add_${name}`, this.pointer, this.model.linkIndex(link), ...what, chosen, index);
    return index[0];
  }

  addPoint(link, point, how) {
    return this.#add('point', link, given(point), how);
  }

  addWeld(link, pose, how) {
    return this.#add('weld', link, given(pose), how);
  }

  addRows(link, K, how) {
    if (K.columns !== 6) throw new RangeError(`K has ${K.columns} columns, 6 are needed: [angular; linear]`);
    return this.#add('rows', link, [K.rows, ...K.given], how);
  }

  addClosure(link, secondLink = WORLD, { pose, secondPose, ...how } = {}) {
    const second = [this.model.linkIndex(secondLink), ...given(secondPose)];
    return this.#add('closure', link, [...given(pose), ...second], how);
  }

  finish() {
    if (!this.finished) call('tenon_constraints_finish', this.pointer);
    this.finished = true;
    return this;
  }

  get count() {
    return lib.tenon_constraints_constraint_count(this.pointer);
  }

  get rowCount() {
    return lib.tenon_constraints_row_count(this.finish().pointer);
  }

  index(constraint) {
    return find('tenon_constraints_find_constraint', this, constraint);
  }

  info(constraint) {
    const [set, index] = [this.finish().pointer, this.index(constraint)];
    const fill = (info) => check(lib.tenon_constraints_constraint_info(set, index, info), `no constraint ${constraint}`);
    return record('tenon_constraint_info', fill);
  }
}

module.exports = { Handle, Matrix, Model, Constraints, TenonError, WORLD, raw: { functions: lib, constants, types } };
module.exports.support = {
  TenonError, call, camel, check, constant, constants, find, given, lib, options, prepared, record, row, size, whole, written,
  types, koffi,
};
module.exports.Builder = require('./builder.js');
module.exports.Workspace = require('./workspace.js');
module.exports.Batch = require('./batch.js');
module.exports.models = require('./models.js');
module.exports.version = lib.tenon_version_string();
