// Tenon: dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops. The methods of
// tenon.h are in layer.js; here is what has a manner of its own. tenon.h is the manual of every call.
'use strict';
const support = require('./support.js');
const base = require('./layer.js');
const { Handle, Matrix, TenonError, constant, constants, koffi, lib, prepared, types, whole, wrong } = support;

const WORLD = constants.TENON_WORLD;
support.made = (handle, pointer, kept) => {
  const name = handle.replace(/^tenon_(.)/, (_, first) => first.toUpperCase());
  return new module.exports[name](pointer, kept);
};

class Model extends base.Model {
  /** Takes over a model that raw calls made. */
  constructor(pointer, kept) {
    super(pointer, Model.destroy, kept);
  }
}

class Builder extends base.Builder {
  constructor(name, kept) {
    super(typeof name === 'string' || name == null ? Builder.create(name) : name, Builder.destroy, kept);
  }

  addJoint(name, parent, child, how) {
    this.addJointOf(name, { ...how, parentLink: this.linkIndex(parent), childLink: this.linkIndex(child) });
  }

  addLoop(name, link, secondLink, how) {
    this.addLoopOf(name, { ...how, link: this.linkIndex(link), secondLink: this.linkIndex(secondLink) });
  }

  // The function of addImplicit for C; it lives as long as what may call it.
  implicit(callback) {
    const view = (pointer, length) => new Float64Array(koffi.view(pointer, 8 * length));
    const box = {}; // koffi holds the function, which must not hold `one`: that is what its life hangs on
    const one = { take: () => [box.thrown, (box.thrown = undefined)][0] };
    const pointer = koffi.register((user, nq, nv, rows, q, v, phi, K, Kdot_v) => {
      try {
        callback(view(q, nq), view(v, nv), view(phi, rows), view(K, rows * nv), view(Kdot_v, rows));
        return constants.TENON_OK;
      } catch (error) { // it must not reach the library
        box.thrown = error;
        return constants.TENON_INVALID_ARGUMENT;
      }
    }, koffi.pointer(types.tenon_implicit_callback));
    forget.register(one, pointer);
    this.kept = [...this.kept, one];
    return pointer;
  }
}
const forget = new FinalizationRegistry((pointer) => koffi.unregister(pointer));

class Constraints extends base.Constraints {
  constructor(model) {
    super(typeof model?.linkIndex === 'function' ? Constraints.create(model) : model, Constraints.destroy);
    this.model = model;
    this.finished = false;
  }

  finish() {
    if (!this.finished) this.finishOnce();
    this.finished = true;
    return this;
  }

  get rowCount() {
    return this.finish() && super.rowCount;
  }

  info(constraint) {
    return this.finish() && super.info(constraint);
  }
}

function failed(object, status, message) {
  if (status >= 0) return;
  throw new TenonError(status, message(object.pointer), object.kept.map((one) => one.take()).find(Boolean));
}

// What workspaces and batches have in common.
const computing = (name) => class extends base[name] {
  constructor(model, constraints = null, how = null) {
    const of = constraints instanceof base[name] ? constraints : null; // model is the pointer of its clone
    super(of ? model : base[name].create(model, constraints, { options: how }), base[name].destroy, (of ?? model).kept);
    Object.assign(this, of ? { model: of.model, constraints: of.constraints } : { model, constraints });
  }

  // A set has the rows of the model's loops, also where there is no other constraint.
  get set() {
    return this.constraints ?? (this.loops ??= new Constraints(this.model));
  }

  get constraintCount() {
    return this.set.count;
  }
};

class Workspace extends computing('Workspace') {
  #status = 0;

  done(status) {
    this.#status = status;
    failed(this, status, lib.tenon_workspace_message);
  }

  get status() {
    return lib.tenon_status_string(this.#status);
  }

  get report() {
    return this.getReport();
  }

  get gravity() {
    return this.getGravity();
  }

  set gravity(value) {
    this.setGravity(value);
  }

  zeros() {
    return new Float64Array(this.nv);
  }

  step(q, v, tau, dt, { integrator = 'semi_implicit_euler', ...how } = {}) {
    if (integrator === 'runge_kutta_4') this.stepRungeKutta4(dt, q, v, tau, { qdd: null, lambda: null, ...how });
    else if (integrator === 'semi_implicit_euler') this.stepSemiImplicitEuler(dt, q, v, tau, { qdd: null, lambda: null, ...how });
    else throw new TenonError(constants.TENON_NOT_FOUND, `there is no integrator '${integrator}'`);
  }
}

class Batch extends computing('Batch') {
  constructor(model, constraints = null, how = null) {
    super(model, constraints, how);
    if (constraints instanceof base.Batch) { // a clone
      const { nq, nv, m, Array } = constraints;
      Object.assign(this, { nq, nv, m, Array });
      this.begin(0);
      return;
    }
    if (model.kept.length && how?.threads > 1) {
      this.dispose();
      throw new RangeError('a model with constraints by a function is computed by one thread, that of JavaScript');
    }
    const single = constant('precision', how?.precision ?? 'double') === constants.TENON_PRECISION_SINGLE;
    Object.assign(this, { nq: model.nq, nv: model.nv, m: this.set.rowCount });
    this.Array = single ? Float32Array : Float64Array;
    this.begin(0);
  }

  begin(states) {
    if (states > 2 ** 31) throw wrong(`there is no memory for ${states} states`);
    this.statusCodes = new Int32Array(Number(states));
    this.iterationsCodes = new Int32Array(Number(states));
  }

  done(status, raises = true) {
    if (raises || this.statusCodes.every((code) => code >= 0)) failed(this, status, lib.tenon_batch_message);
  }

  // How many states, steps and records a call is of. Without joints a state has no numbers, and a call is of one.
  many(a, name, numbers, count) {
    const length = numbers?.length ?? 0;
    const states = a.states ?? (count === 0 ? 1 : Math.floor(length / count));
    if (a.states === undefined && length !== states * count) throw wrong(`${name}: ${length} numbers, not states x ${count}`);
    this.begin(states);
    const { steps = ROLLOUT.steps, every = ROLLOUT.every } = a.options ?? {};
    const records = Math.floor(Number(whole('steps', steps)) / Math.max(Number(whole('every', every)), 1));
    return { batch: this, states, steps: Number(steps), records };
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

  setCoordinates(positions, velocities) {
    super.setCoordinates(positions, velocities);
    const own = (kind, all, some) => (constant('coordinates', kind) === 1 ? some : all);
    this.nq = own(positions, this.model.nq, this.model.nyq);
    this.nv = own(velocities, this.model.nv, this.model.ny);
  }

  setActive(active) {
    this.setActivities(active instanceof this.Array || active.data ? active : this.Array.from(active));
  }

  setGains(frequencies, dampingRatios = new this.Array(this.constraintCount).fill(1), ...more) {
    super.setGains(frequencies, dampingRatios, ...more);
  }
}

const ROLLOUT = prepared('tenon_rollout_options', lib.tenon_rollout_options_init);

module.exports = { ...base.free, Handle, Matrix, Model, Builder, Constraints, Workspace, Batch, TenonError, WORLD };
module.exports.raw = { functions: lib, constants, types };
module.exports.models = require('./models.js');
module.exports.version = lib.tenon_version_string();
