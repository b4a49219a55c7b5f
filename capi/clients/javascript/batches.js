// What batches are made of: arrays of numbers of many states.
'use strict';
const support = require('./support.js');
const { Handle, constant, constants, lib, prepared, whole, wrong } = support;

const ROLLOUT = prepared('tenon_rollout_options', lib.tenon_rollout_options_init);

/** An object that computes many states. */
class Many extends Handle {
  constructor(made) {
    super(made);
    this.begin(0);
  }

  /** Of what its arrays are; functions of the user run in the thread of JavaScript. */
  static chosen(model, options) {
    if (model?.kept.length && options?.threads > 1) {
      throw new RangeError('a model with constraints by a function is computed by one thread, that of JavaScript');
    }
    const single = constant('precision', options?.precision ?? 'double') === constants.TENON_PRECISION_SINGLE;
    return { Array: single ? Float32Array : Float64Array };
  }

  begin(states) {
    if (states > 2 ** 31) throw wrong(`there is no memory for ${states} states`);
    this.statusCodes = new Int32Array(Number(states));
    this.iterationsCodes = new Int32Array(Number(states));
  }

  done(status, raises = true) {
    if (raises || this.statusCodes.every((code) => code >= 0)) this.checked(status);
  }

  // How many states, steps and records a call is of. Without joints a state has no numbers, and a call is of one.
  many(a, name, numbers, count) {
    const length = numbers?.length ?? 0;
    const states = a.states ?? (count === 0 ? 1 : Math.floor(length / count));
    if (a.states === undefined && length !== states * count) throw wrong(`${name}: ${length} numbers, not states x ${count}`);
    this.begin(states);
    const { steps = ROLLOUT.steps, every = ROLLOUT.every } = a.options ?? {};
    const records = Math.floor(Number(whole('steps', steps)) / Math.max(Number(whole('every', every)), 1));
    return { of: this, states, steps: Number(steps), records };
  }

  // What the library is told of an array, or of { data, first, count, numberStride, stateStride, recordStride }.
  told(name, value, { states, steps, records }, count, { every, written } = {}) {
    if (value === null || value === undefined) return null;
    const given = value.data === undefined ? value : value.data;
    if (written && !(given instanceof this.Array)) throw new TypeError(`${name} is written: give a ${this.Array.name}`);
    const numbers = given instanceof this.Array ? given : this.Array.from(given);
    const data = numbers.length ? numbers : new this.Array(1); // NULL would be no array
    const dense = { data, size: numbers.length, first: 0, count, numberStride: 1, stateStride: 0, recordStride: 0 };
    if (value.data !== undefined) return support.layout({ ...dense, ...value, data });
    const each = { step: steps, record: records }[every] ?? 1;
    const all = numbers.length === Number(states) * each * count;
    const one = !written && numbers.length === count;
    if (!one && !all && (written || numbers.length !== Number(states) * count)) {
      throw wrong(`${name}: ${numbers.length} numbers; ${Number(states) * each} times ${count} are needed`);
    }
    const stateStride = one ? 0 : all ? each * count : count;
    return support.layout({ ...dense, stateStride, recordStride: !one && all && each > 1 ? count : 0 });
  }

  /** Of each state of the last call; and how many sweeps it took, where it solved. */
  get status() {
    return Array.from(this.statusCodes, (code) => lib.tenon_status_string(code));
  }

  get iterations() {
    return this.iterationsCodes.slice();
  }
}

module.exports = { Many };
