// Workspaces: the memory of computations on one state at a time.
'use strict';
const { Handle, Matrix, support } = require('./index.js');
const { call, constant, constants, given, lib, options, record, row, written } = support;

class Workspace extends Handle {
  #status = 0;

  constructor(model, constraints = null, how = null) {
    const workspace = [null];
    const set = constraints === null ? null : constraints.finish().pointer;
    call('tenon_workspace_create', model.pointer, set, options('tenon_workspace_options', how), workspace);
    super(workspace[0], 'tenon_workspace_destroy');
    Object.assign(this, { model, constraints });
    this.#count();
  }

  #count() {
    this.nq = lib.tenon_workspace_position_count(this.pointer);
    this.nv = lib.tenon_workspace_velocity_count(this.pointer);
    this.m = lib.tenon_workspace_row_count(this.pointer);
  }

  // A computation; then its result.
  #done(result, name, ...given) {
    this.#status = lib[`tenon_${name}`](this.pointer, ...given);
    support.check(this.#status, this.#status < 0 ? lib.tenon_workspace_message(this.pointer) : '');
    return result;
  }

  #vector(out, length) {
    return written(out ?? new Float64Array(length), 'out');
  }

  get status() {
    return lib.tenon_status_string(this.#status);
  }

  get sizeBytes() {
    return Number(lib.tenon_workspace_size_bytes(this.pointer));
  }

  get report() {
    const known = record('tenon_solve_report', (report) => this.#done(null, 'workspace_report', report));
    return { ...known, method: lib.tenon_constant_name(constants.TENON_CONSTANT_METHOD, known.method) };
  }

  // ---- settings

  get gravity() {
    const gravity = new Float64Array(3);
    return this.#done(gravity, 'workspace_gravity', gravity, 3);
  }

  set gravity(value) {
    this.#done(null, 'workspace_set_gravity', ...given(value));
  }

  setAnchor(constraint, pose) {
    this.#done(null, 'workspace_set_anchor', row(this, constraint), ...given(pose));
  }

  anchorHere(q) {
    this.#done(null, 'anchor_here', ...given(q));
  }

  setActive(constraint, active = true) {
    this.#done(null, 'workspace_set_active', row(this, constraint), Number(active));
  }

  setGains(constraint, frequency, dampingRatio = 1) {
    this.#done(null, 'workspace_set_gains', row(this, constraint), frequency, dampingRatio);
  }

  setCoordinates(positions, velocities) {
    const kinds = [positions, velocities].map((kind) => constant('coordinates', kind));
    this.#done(null, 'workspace_set_coordinates', ...kinds);
    this.#count();
  }

  // ---- configurations

  zeros() {
    return new Float64Array(this.nv);
  }

  neutral(out) {
    const [q, count] = this.#vector(out, this.nq);
    return this.#done(q, 'neutral', q, count);
  }

  random(seed = 1, out) {
    const [q, count] = this.#vector(out, this.nq);
    return this.#done(q, 'random', seed, q, count);
  }

  integrate(q, v, dt, out) {
    const [next, count] = this.#vector(out, this.nq);
    return this.#done(next, 'integrate', ...given(q), ...given(v), dt, next, count);
  }

  difference(from, to, out) {
    const [v, count] = this.#vector(out, this.nv);
    return this.#done(v, 'difference', ...given(from), ...given(to), v, count);
  }

  normalize(q) {
    return this.#done(q, 'normalize', ...written(q, 'q'));
  }

  // ---- kinematics

  kinematics(q, v, a) {
    this.#done(null, 'kinematics', ...given(q), ...given(v), ...given(a));
  }

  linkPose(link, out) {
    const [pose, count] = this.#vector(out, 7);
    return this.#done(pose, 'link_pose', this.model.linkIndex(link), pose, count, null, 0);
  }

  linkVelocity(link, axes = 'world', out = undefined) {
    const [velocity, count] = this.#vector(out, 6);
    return this.#done(velocity, 'link_velocity', this.model.linkIndex(link), constant('axes', axes), velocity, count);
  }

  linkAcceleration(link, axes = 'world', out = undefined) {
    const [result, count] = this.#vector(out, 6);
    return this.#done(result, 'link_acceleration', this.model.linkIndex(link), constant('axes', axes), result, count);
  }

  jacobian(link, { point, axes = 'world', out = new Matrix(6, this.nv) } = {}) {
    const place = [this.model.linkIndex(link), ...given(point), constant('axes', axes)];
    return this.#done(out, 'point_jacobian', ...place, ...out.given);
  }

  energy() {
    const [kinetic, potential] = [[0], [0]];
    this.#done(null, 'energy', kinetic, potential);
    return { kinetic: kinetic[0], potential: potential[0] };
  }

  // ---- dynamics without constraints

  #force(name, out, ...inputs) {
    const [result, count] = this.#vector(out, this.nv);
    return this.#done(result, name, ...inputs.flatMap(given), result, count);
  }

  forwardDynamics(q, v, tau, { wrenches, out } = {}) {
    return this.#force('forward_dynamics', out, q, v, tau, wrenches);
  }

  inverseDynamics(q, v, a, { wrenches, out } = {}) {
    return this.#force('inverse_dynamics', out, q, v, a, wrenches);
  }

  bias(q, v, { wrenches, out } = {}) {
    return this.#force('bias', out, q, v, wrenches);
  }

  gravityForce(q, out) {
    return this.#force('gravity_force', out, q);
  }

  massMatrix(q, out = new Matrix(this.nv, this.nv)) {
    return this.#done(out, 'mass_matrix', ...given(q), ...out.given);
  }

  // ---- dynamics with constraints

  constrainedDynamics(q, v, tau, { wrenches, desired, solve, out, lambda } = {}) {
    const [qdd, count] = this.#vector(out, this.nv);
    const [force, rows] = this.#vector(lambda, this.m);
    const inputs = [q, v, tau, wrenches, desired].flatMap(given);
    const chosen = options('tenon_solve_options', solve);
    return this.#done({ qdd, lambda: force }, 'constrained_dynamics', chosen, ...inputs, qdd, count, force, rows);
  }

  constrainedInverseDynamics(q, v, a, lambda, { wrenches, out } = {}) {
    return this.#force('constrained_inverse_dynamics', out, q, v, a, wrenches, lambda);
  }

  constraintRows(q, v, desired) {
    const rows = { J: new Matrix(this.m, this.nv) };
    for (const name of ['rhs', 'positionError', 'velocity']) rows[name] = new Float64Array(this.m);
    const outputs = [rows.rhs, rows.positionError, rows.velocity].flatMap((out) => written(out, 'rows'));
    return this.#done(rows, 'constraint_rows', ...[q, v, desired].flatMap(given), ...rows.J.given, ...outputs);
  }

  delassus(q, { out = new Matrix(this.m, this.m), ...how } = {}) {
    const chosen = options('tenon_delassus_options', how, 'delassus_method');
    return this.#done(out, 'delassus', chosen, ...given(q), ...out.given);
  }

  delassusInverse(q, { out = new Matrix(this.m, this.m), ...how } = {}) {
    const chosen = options('tenon_damped_options', how, 'damped_method');
    return this.#done(out, 'delassus_inverse', chosen, ...given(q), ...out.given);
  }

  step(q, v, tau, dt, { wrenches, integrator = 'semi_implicit_euler', solve } = {}) {
    const state = [...written(q, 'q'), ...written(v, 'v'), ...given(tau), ...given(wrenches)];
    constant('integrator', integrator); // is it one?
    this.#done(null, `step_${integrator}`, options('tenon_solve_options', solve), dt, ...state, null, 0, null, 0);
  }
}

module.exports = Workspace;
