// Batches: many states in one call.
'use strict';
const { Constraints, Handle, support } = require('./index.js');
const { call, check, given, lib, options, row, size, whole } = support;

class Batch extends Handle {
  #count; // of constraints

  constructor(model, constraints = null, how = null) {
    const set = constraints ?? new Constraints(model);
    const chosen = options('tenon_batch_options', how);
    const batch = [null];
    call('tenon_batch_create', model.pointer, set.finish().pointer, chosen, batch);
    super(batch[0], 'tenon_batch_destroy');
    const single = chosen !== null && chosen.precision === 1;
    Object.assign(this, { model, constraints, nq: model.nq, nv: model.nv, m: set.rowCount });
    this.Array = single ? Float32Array : Float64Array;
    this.codes = new Int32Array(0);
    this.#count = set.count;
    if (constraints === null) set.dispose();
  }

  get width() {
    return lib.tenon_batch_width(this.pointer);
  }

  /** Of each state of the last call. */
  get status() {
    return Array.from(this.codes, (code) => lib.tenon_status_string(code));
  }

  // ---- settings; of constraints: those of many states are for calls of as many; those of one state hold in all

  #set(name, ...given) {
    check(lib[`tenon_batch_${name}`](this.pointer, ...given), lib.tenon_batch_message(this.pointer));
  }

  setGravity(gravity) {
    this.#set('set_gravity', ...given(gravity));
  }

  setAnchor(constraint, pose) {
    this.#set('set_anchor', row(this, constraint), ...given(pose));
  }

  setAnchors(poses) {
    const count = size(this.#count, 7);
    const states = this.#times('poses', poses, count);
    this.#set('set_anchors', states, this.#array('poses', poses, count, states));
  }

  anchors(states) {
    const count = size(this.#count, 7);
    const poses = new this.Array(size(states, count));
    this.#set('anchors', states, this.#array('poses', poses, count, states, 1, true));
    return poses;
  }

  anchorHere(q) {
    const states = this.#states(q);
    this.#done(null, true, 'anchor_here', states, this.#array('q', q, this.nq, states));
  }

  setActive(active) {
    const states = this.#times('active', active, this.#count);
    this.#set('set_active', states, this.#array('active', active, this.#count, states));
  }

  setGains(frequencies, dampingRatios = new this.Array(this.#count).fill(1)) {
    const states = this.#times('frequencies', frequencies, this.#count);
    const arrays = [
      this.#array('frequencies', frequencies, this.#count, states),
      this.#array('dampingRatios', dampingRatios, this.#count, states),
    ];
    this.#set('set_gains', states, ...arrays);
  }

  // ---- arrays

  // Numbers of all states, `count` of each and record, one state after another; an input also of one for all.
  #array(what, numbers, count, states, records = 1, output = false) {
    if (numbers === null || numbers === undefined) return null;
    if (output && !(numbers instanceof this.Array)) throw new TypeError(`${what} is to be a ${this.Array.name}`);
    const data = numbers instanceof this.Array ? numbers : this.Array.from(numbers);
    const one = !output && data.length === count;
    if (!one && data.length !== size(states, records, count)) {
      throw new RangeError(`${what}: ${data.length} numbers; ${states * records} times ${count} are needed`);
    }
    const strides = { number_stride: 1, state_stride: one ? 0 : count * records, record_stride: records > 1 ? count : 0 };
    const memory = { data: data.length === 0 ? null : data, size: data.length };
    return { ...support.prepared('tenon_batch_array'), ...memory, count, ...strides };
  }

  // How many states these numbers are of, `count` of each.
  #times(what, numbers, count) {
    const states = count === 0 ? 1 : Math.floor(numbers.length / count);
    if (numbers.length !== states * count) {
      throw new RangeError(`${what}: ${numbers.length} numbers, not states x ${count}`);
    }
    return states;
  }

  #states(q) {
    const states = this.#times('q', q, this.nq);
    this.codes = new Int32Array(states);
    return states;
  }

  #done(result, raises, name, ...given) {
    const status = lib[`tenon_batch_${name}`](this.pointer, ...given, this.codes, this.codes.length);
    if (status < 0 && (raises || this.codes.every((code) => code >= 0))) {
      throw new support.TenonError(status, lib.tenon_batch_message(this.pointer));
    }
    return result;
  }

  // ---- computations

  #dynamics(name, q, v, third, { wrenches, out, raises = true }) {
    const states = this.#states(q);
    const result = out ?? new this.Array(size(states, this.nv));
    const inputs = [
      this.#array('q', q, this.nq, states),
      this.#array('v', v, this.nv, states),
      this.#array('the third input', third, this.nv, states),
      this.#array('wrenches', wrenches, 6 * this.model.linkCount, states),
    ];
    return this.#done(result, raises, name, states, ...inputs, this.#array('out', result, this.nv, states, 1, true));
  }

  forwardDynamics(q, v, tau, how = {}) {
    return this.#dynamics('forward_dynamics', q, v, tau, how);
  }

  inverseDynamics(q, v, a, how = {}) {
    return this.#dynamics('inverse_dynamics', q, v, a, how);
  }

  constrainedDynamics(q, v, tau, { wrenches, desired, solve, out, lambda, raises = true } = {}) {
    const states = this.#states(q);
    const qdd = out ?? new this.Array(size(states, this.nv));
    const force = lambda ?? new this.Array(size(states, this.m));
    const arrays = [
      this.#array('q', q, this.nq, states),
      this.#array('v', v, this.nv, states),
      this.#array('tau', tau, this.nv, states),
      this.#array('wrenches', wrenches, 6 * this.model.linkCount, states),
      this.#array('desired', desired, this.m, states),
      this.#array('out', qdd, this.nv, states, 1, true),
      this.#array('lambda', force, this.m, states, 1, true),
    ];
    const chosen = options('tenon_solve_options', solve);
    return this.#done({ qdd, lambda: force }, raises, 'constrained_dynamics', chosen, states, ...arrays, null, 0);
  }

  rollout(q, v, tau, { wrenches, raises = true, ...how } = {}) {
    const states = this.#states(q);
    const chosen = options('tenon_rollout_options', how);
    const records = Math.floor(whole('steps', chosen.steps) / Math.max(whole('every', chosen.every), 1));
    const result = { records };
    result.q = new this.Array(size(states, records, this.nq));
    result.v = new this.Array(size(states, records, this.nv));
    const arrays = [
      this.#array('q', q, this.nq, states),
      this.#array('v', v, this.nv, states),
      this.#array('tau', tau, this.nv, states),
      this.#array('wrenches', wrenches, 6 * this.model.linkCount, states),
      this.#array('q', result.q, this.nq, states, records, true),
      this.#array('v', result.v, this.nv, states, records, true),
    ];
    return this.#done(result, raises, 'rollout', chosen, states, ...arrays);
  }
}

module.exports = Batch;
