// What the classes hand to the library and back, against identities that the calls under test do not compute themselves.
// node --test, with TENON_LIBRARY, TENON_CLIENT (the folder of index.js) and TENON_MODELS.
'use strict';
const { test } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const tenon = require(process.env.TENON_CLIENT);

const file = (name) => `${process.env.TENON_MODELS}/${name}.urdf`;
const counted = (n, first, step) => Float64Array.from({ length: n }, (_, i) => first + step * i);
const plus = (a, b, factor = 1) => a.map((x, i) => x + factor * b[i]);
const times = (A, x) => Float64Array.from({ length: A.rows }, (_, i) => x.reduce((sum, xj, j) => sum + A.get(i, j) * xj, 0));
const transposedTimes = (A, x) =>
  Float64Array.from({ length: A.columns }, (_, j) => A.column(j).reduce((sum, a, i) => sum + a * x[i], 0));

function close(a, b, tolerance) {
  assert.equal(a.length, b.length);
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= tolerance * (1 + Math.abs(b[i])), `${i}: ${x} and ${b[i]}`));
}
const fails = (call, status, words) =>
  assert.throws(call, (error) => error instanceof tenon.TenonError && error.status === status && words.test(error.message));

test('models that come along are found by name', () => {
  assert.ok(tenon.models.names().includes('atlas') && tenon.models.names().length >= 20);
  assert.equal(tenon.models.path('atlas'), tenon.models.path('atlas.urdf'));
  assert.equal(tenon.Model.load(tenon.models.path('atlas'), { base: 'floating' }).nv, 36);
  assert.throws(() => tenon.models.path('atlantis'), /there is no model 'atlantis'; there are: atlas, /);
});

test('models tell what they are', () => {
  const robot = tenon.Model.load(file('iiwa14'));
  assert.deepEqual([robot.name, robot.nq, robot.nv, robot.floatingBase], ['iiwa14', 7, 7, false]);
  assert.equal(robot.links[robot.linkIndex('iiwa_link_7')], 'iiwa_link_7');
  assert.equal(robot.joint(2).name, 'iiwa_joint_3');
  assert.equal(robot.joint('iiwa_joint_3').type, 'revolute');
  assert.ok(Math.abs(robot.links.reduce((sum, name) => sum + robot.link(name).mass, 0) - robot.totalMass) < 1e-10);
  assert.match(robot.describe(), /iiwa_joint_7.*\n$/);
  assert.deepEqual(robot.warnings, []);
  fails(() => robot.link('iiwa_link_8'), 'not_found', /did you mean/);
  fails(() => robot.joint(99), 'out_of_range', /99/);
  fails(() => tenon.Model.load('none.urdf'), 'file_error', /none/);
  fails(() => tenon.Model.parse('<robot'), 'parse_error', /./);
  fails(() => tenon.Model.load(file('iiwa14'), { base: 'flying' }), 'not_found', /fixed, floating/);
  assert.throws(() => tenon.Model.load(file('iiwa14'), { bas: 'fixed' }), /no option 'bas'; there are: base,/);
  const how = { base: 'floating', floatingJointName: 'free', gravity: [0, 0, -1] };
  const floating = tenon.Model.parse(fs.readFileSync(file('iiwa14')), how);
  assert.deepEqual([floating.joints[0], floating.nv, new tenon.Workspace(floating).gravity[2]], ['free', 13, -1]);
});

test('dynamics agree with the mass matrix', () => {
  const robot = tenon.Model.load(file('atlas'), { base: 'floating' });
  const work = new tenon.Workspace(robot);
  const q = work.random(3);
  const v = counted(work.nv, -0.2, 0.01);
  const tau = counted(work.nv, 5, -0.3);
  const qdd = work.forwardDynamics(q, v, tau);
  close(plus(times(work.massMatrix(q), qdd), work.bias(q, v)), tau, 1e-8);
  close(work.inverseDynamics(q, v, qdd), tau, 1e-8);
  const hand = robot.linkIndex('l_hand');
  const wrenches = new Float64Array(6 * robot.linkCount);
  wrenches[6 * hand + 3] = -10;
  work.kinematics(q, v);
  const J = work.jacobian(hand, { axes: 'link' });
  close(times(J, v), work.linkVelocity('l_hand', 'link'), 1e-10);
  const push = transposedTimes(J, [0, 0, 0, 10, 0, 0]);
  close(work.inverseDynamics(q, v, qdd, { wrenches }), plus(tau, push), 1e-8);
  close(work.difference(q, work.integrate(q, v, 0.01)), v.map((x) => 0.01 * x), 1e-10);
  const out = new Float64Array(work.nv);
  assert.equal(work.forwardDynamics(q, Array.from(v), tau, { out }), out);
  assert.deepEqual(out, qdd);
  fails(() => work.forwardDynamics(q.subarray(1), v, tau, { out }), 'wrong_size', /q/);
  assert.deepEqual(out, qdd);
  assert.throws(() => work.neutral([1, 2]), /Float64Array/);
});

test('constraints hold', () => {
  const robot = tenon.Model.load(file('atlas'), { base: 'floating' });
  const set = new tenon.Constraints(robot);
  set.addWeld('l_foot');
  assert.equal(set.addPoint('l_hand', [0.1, 0, 0], { name: 'hand', weights: [1, 1, 2] }), 1);
  const K = new tenon.Matrix(2, 6);
  K.set(0, 3, 1);
  K.set(1, 1, 1);
  set.addRows('r_foot', K);
  assert.throws(() => set.addRows('r_foot', new tenon.Matrix(6, 2)), /6 are needed/);
  fails(() => set.addPoint('l_hand', [0.1]), 'wrong_size', /point/);
  assert.deepEqual([set.count, set.rowCount, set.index('hand'), set.info('hand').rowCount], [3, 11, 1, 3]);
  const work = new tenon.Workspace(robot, set);
  const free = new tenon.Workspace(robot);
  robot.dispose();
  assert.throws(() => robot.pointer, /disposed/); // and what was made from it stays good
  const q = work.random(5);
  const v = counted(work.nv, 0.1, -0.01);
  const tau = counted(work.nv, -3, 0.2);
  const { qdd, lambda } = work.constrainedDynamics(q, v, tau);
  assert.equal(work.status, 'ok');
  assert.ok(work.report.primalResidual < 1e-6);
  const rows = work.constraintRows(q, v);
  close(times(rows.J, qdd), rows.rhs, 1e-7);
  const moved = plus(times(work.massMatrix(q), qdd), work.bias(q, v));
  close(moved, plus(tau, transposedTimes(rows.J, lambda)), 1e-7);
  close(work.constrainedInverseDynamics(q, v, qdd, lambda), tau, 1e-7);
  close(work.constrainedDynamics(q, v, tau, { solve: { method: 'dense' } }).qdd, qdd, 1e-6);
  assert.equal(work.report.method, 'dense');
  const zero = free.zeros(); // a column of the Delassus matrix by forward dynamics from rest
  const unit = new Float64Array(11);
  unit[4] = 1;
  const answer = free.forwardDynamics(q, zero, plus(free.bias(q, zero), transposedTimes(rows.J, unit)));
  close(work.delassus(q, { method: 'pv_osimr' }).column(4), times(rows.J, answer), 1e-7);
  const [next, speed] = [q.slice(), v.slice()];
  work.step(next, speed, tau, 0.001);
  close(work.difference(q, next), speed.map((x) => 0.001 * x), 1e-9);
  work.gravity = [0, 0, -1];
  const twin = work.clone();
  assert.deepEqual([twin.gravity[2], twin.m, twin.constraints === set], [-1, work.m, true]);
  work.gravity = [0, 0, -9.81];
  assert.equal(twin.gravity[2], -1);
  assert.equal(work.constraintSettings('hand').weights.length, 3);
  assert.ok(work.allConstraints().active.every((on) => on === 1));
  work.setActive('hand', false);
  assert.ok(work.constrainedDynamics(q, v, tau).qdd.some((x, i) => Math.abs(x - qdd[i]) > 1e-3));
  fails(() => set.addWeld(0), 'invalid_argument', /finish/);
});

test('batches do what workspaces do', () => {
  const robot = tenon.Model.load(file('atlas'), { base: 'floating' });
  const set = new tenon.Constraints(robot);
  set.addWeld('l_foot');
  const batch = new tenon.Batch(robot, set);
  const work = new tenon.Workspace(robot, set);
  const { nq, nv } = batch;
  const states = 9;
  const q = new Float64Array(states * nq);
  for (let i = 0; i < states; ++i) q.set(work.random(i), i * nq);
  const v = new Float64Array(nv).fill(0.1);
  const tau = new Float64Array(states * nv).fill(1);
  tau[3 * nv + 8] = 20;
  const free = batch.forwardDynamics(q, v, tau);
  close(batch.inverseDynamics(q, v, free), tau, 1e-7);
  const held = batch.constrainedDynamics(q, v, tau);
  const part = (all, i, n) => all.subarray(i * n, (i + 1) * n);
  for (let i = 0; i < states; ++i) {
    const motion = work.constrainedDynamics(part(q, i, nq), v, part(tau, i, nv));
    close(part(held.qdd, i, nv), motion.qdd, 1e-7);
    close(part(held.lambda, i, 6), motion.lambda, 1e-7);
  }
  const records = batch.rollout(q, v, tau, { steps: 4, every: 2, dt: 0.002, solve: { method: 'dense' } });
  const [q3, v3] = [part(q, 3, nq).slice(), v.slice()];
  for (let i = 0; i < 4; ++i) work.step(q3, v3, part(tau, 3, nv), 0.002);
  close(part(records.q, 7, nq), q3, 1e-7);
  close(part(records.v, 7, nv), v3, 1e-7);

  q[4 * nq] = NaN;
  fails(() => batch.forwardDynamics(q, v, tau), 'not_finite', /4/);
  assert.equal(batch.status.filter((status) => status === 'ok').length, states - 1);
  const out = free.slice();
  batch.forwardDynamics(q, v, tau, { out, raises: false });
  assert.deepEqual(out, free);
  assert.throws(() => batch.forwardDynamics(q, v.subarray(1), tau), /v: 35 numbers; 9 times 36/);
  const single = new tenon.Batch(robot, null, { precision: 'single' });
  const short = Float32Array.from(part(q, 0, nq));
  const light = single.forwardDynamics(short, Float32Array.from(v), Float32Array.from(part(tau, 0, nv)));
  assert.ok(light instanceof Float32Array);
  close(light, part(free, 0, nv), 2e-2);
  assert.equal(single.constrainedDynamics(short, Array.from(v), Array(nv).fill(1)).lambda.length, 0);
});

test('states of batches hold their own rows', () => {
  const robot = tenon.Model.load(file('atlas'), { base: 'floating' });
  const set = new tenon.Constraints(robot);
  set.addWeld('l_foot', null, { frequency: 10 });
  set.addPoint('l_hand', null, { name: 'hand', frequency: 5, dampingRatio: 0.5 });
  const batch = new tenon.Batch(robot, set);
  const work = new tenon.Workspace(robot, set);
  const { nq, nv } = batch;
  const q = new Float64Array(3 * nq);
  for (let i = 0; i < 3; ++i) q.set(work.random(i), i * nq);
  const v = new Float64Array(nv).fill(0.1);
  const tau = new Float64Array(nv).fill(1);
  const solve = () => batch.constrainedDynamics(q, v, tau);
  const part = (all, i, n) => all.slice(i * n, (i + 1) * n);
  const changed = (a, b) => [0, 1, 2].filter((i) => part(a, i, nv).some((x, k) => x !== part(b, i, nv)[k]));
  fails(solve, 'invalid_argument', /no anchors/);
  batch.anchorHere(q);
  assert.deepEqual(batch.status, ['ok', 'ok', 'ok']);
  const here = solve();
  const poses = batch.anchors(3);
  for (let i = 0; i < 3; ++i) {
    work.anchorHere(part(q, i, nq));
    close(part(here.qdd, i, nv), work.constrainedDynamics(part(q, i, nq), v, tau).qdd, 1e-7);
    work.kinematics(part(q, i, nq));
    close(poses.slice(14 * i + 7, 14 * i + 10), work.linkPose('l_hand').slice(0, 3), 1e-9);
  }
  batch.setAnchors(poses);
  const before = solve();
  poses[14 + 7 + 2] += 0.1; // of state 1, constraint 1
  batch.setAnchors(Array.from(poses));
  close(batch.anchors(3), poses, 1e-9);
  const lifted = solve();
  assert.deepEqual(changed(lifted.qdd, before.qdd), [1]);
  batch.setActive([true, true, true, 1, 0, 1]);
  const letGo = solve();
  assert.deepEqual(changed(letGo.qdd, lifted.qdd), [2]);
  assert.deepEqual([18 + 5, 18 + 6, 9 + 5].map((i) => letGo.lambda[i] === 0), [true, false, false]);
  batch.setActive(new Float64Array(2).fill(1));
  batch.setGains([10, 5], [1, 0.5]); // as they were
  assert.deepEqual(solve(), lifted);
  batch.setGains([10, 5, 10, 5, 10, 9], [1, 0.5]);
  assert.deepEqual(changed(solve().qdd, lifted.qdd), [2]);
  batch.setGains([10, 5], [1, 1]);
  const damped = solve();
  assert.deepEqual(changed(damped.qdd, lifted.qdd), [0, 1, 2]);
  batch.setGains([10, 5]);
  assert.deepEqual(solve(), damped);
  fails(() => batch.constrainedDynamics(part(q, 0, nq), v, tau), 'wrong_size', /those of 3 states/);
  batch.setAnchor('hand', [1, 2, 3, 0, 0, 0, 1]);
  assert.deepEqual([7, 14 + 8, 28 + 9].map((i) => batch.anchors(3)[i]), [1, 2, 3]);
  fails(() => batch.setAnchor('foot', [1, 2, 3, 0, 0, 0, 1]), 'not_found', /foot/);
  assert.throws(() => new tenon.Batch(robot).setAnchor('hand', []), /no constraint 'hand' in this batch/);
  assert.throws(() => batch.setAnchors(new Float64Array(13)), /poses: 13 numbers, not states x 14/);
  assert.throws(() => batch.setActive([1, 1, 1]), /active: 3 numbers, not states x 2/);
  assert.throws(() => batch.setGains(new Float64Array(4), new Float64Array(6)), /dampingRatios: 6 numbers/);
  for (const states of [-1, 0.5, NaN, 2 ** 53]) assert.throws(() => batch.anchors(states), RangeError);
  fails(() => batch.anchors(2), 'wrong_size', /3 states/);
});

test('functions of the user stay as long as what calls them', async () => {
  let angry = false;
  const work = (() => {
    const builder = tenon.Builder.load(file('iiwa14'));
    builder.addImplicit('circle', ['iiwa_joint_3', 'iiwa_joint_4'], 1, (q, v, phi, K, KdotV) => {
      if (angry) throw new SyntaxError('not today');
      phi[0] = q[0] * q[0] + q[1] - 0.25;
      K.set([2 * q[0], 1]);
      KdotV[0] = 2 * v[0] * v[0];
    });
    const model = builder.finish();
    builder.dispose();
    assert.throws(() => new tenon.Batch(model, null, { threads: 2 }), /one thread/);
    return new tenon.Workspace(model);
  })();
  if (global.gc) global.gc();
  await new Promise((resolve) => setTimeout(resolve, 20)); // finalizers run
  const [closed, zero] = [work.guess(), work.zeros()];
  close([closed[2] ** 2 + closed[3]], [0.25], 1e-9);
  const qdd = work.forwardDynamics(closed, zero, zero);
  close([2 * closed[2] * qdd[2] + qdd[3]], [0], 1e-7);
  angry = true;
  assert.throws(() => work.forwardDynamics(closed, zero, zero), (error) => error.cause instanceof SyntaxError && error.code < 0);
  angry = false;
  assert.deepEqual(work.forwardDynamics(closed, zero, zero), qdd);
  const text = "<robot name='r'><link name='a'/><wheel/></robot>";
  const heard = [];
  tenon.Model.parse(text, { logLevel: 'trace', logCallback: (level, words) => heard.push(level, words) });
  assert.ok(heard.length > 0);
  const loud = () => { throw new SyntaxError('too loud'); };
  assert.throws(() => tenon.Model.parse(text, { logLevel: 'trace', logCallback: loud }), /too loud/);
});

test('arrays may be parts of others', () => {
  const work = new tenon.Workspace(tenon.Model.load(file('iiwa14')));
  const q = work.random(2);
  const dense = work.massMatrix(q);
  const part = new tenon.Matrix(7, 7, new Float64Array(63).fill(5), 9);
  work.massMatrix(q, part);
  for (let j = 0; j < 7; ++j) assert.deepEqual(part.column(j).slice(), dense.column(j).slice());
  assert.deepEqual([part.data[7], part.data[8], part.data[62]], [5, 5, 5]);
  assert.throws(() => new tenon.Matrix(7, 7, new Float64Array(60), 9), /60 numbers/);
  const batch = new tenon.Batch(work.model);
  const both = new Float64Array(14);
  for (let i = 0; i < 7; ++i) both.set([q[i], q[i] / 2], 2 * i);
  const apart = new Float64Array(14);
  const qdd = { data: apart, first: 13, count: 7, numberStride: -2, stateStride: -1 };
  const zero = work.zeros();
  batch.forwardDynamics({ data: both, count: 7, numberStride: 2, stateStride: 1 }, zero, zero, { qdd, states: 2 });
  close(apart.slice().reverse().filter((_, i) => i % 2 === 0), work.forwardDynamics(q, zero, zero), 1e-9);
});

test('objects are freed once', async () => {
  const robot = tenon.Model.load(file('iiwa14'));
  const work = new tenon.Workspace(robot);
  work.dispose();
  work.dispose();
  assert.throws(() => work.neutral(), /Workspace was disposed of/);
  for (let i = 0; i < 300; ++i) new tenon.Workspace(robot);
  if (global.gc) global.gc();
  await new Promise((resolve) => setTimeout(resolve, 20)); // finalizers run
  assert.equal(new tenon.Workspace(robot).random(1).length, 7);
});

test('sizes that no array has, and steps that are no whole numbers', () => {
  const batch = new tenon.Batch(tenon.Model.load(file('iiwa14')));
  const one = new Float64Array(7);
  for (const steps of [2 ** 61 + 3, 2635249153387078803n, 2 ** 53 / 7, -1, 0.5, NaN, Infinity]) {
    assert.throws(() => batch.rollout(one, one, one, { steps }), RangeError);
  }
  assert.throws(() => batch.rollout(one, one, one, { steps: 2 ** 50 }), /1 x 1125899906842624 x 7 numbers are more/);
  for (const every of [1.5, -1, NaN]) {
    assert.throws(() => batch.rollout(one, one, one, { steps: 1000, every }), /every is .*; a whole number is needed/);
  }
  fails(() => batch.rollout(one, one, one, { every: 0 }), 'invalid_argument', /every is 0/);
  assert.equal(batch.rollout(one, one, one, { steps: 7n, every: 2 }).records, 3);
  assert.throws(() => new tenon.Matrix(2 ** 32, 2 ** 32), /4294967296 x 4294967296 numbers are more/);
});

test('no state is no error', () => {
  const batch = new tenon.Batch(tenon.Model.load(file('iiwa14')));
  assert.equal(batch.forwardDynamics([], [], new Float64Array(7)).length, 0);
  assert.equal(batch.rollout([], [], [], { steps: 3 }).q.length, 0);
  assert.deepEqual(batch.status, []);
});

test('robots without joints have one state', () => {
  const batch = new tenon.Batch(tenon.Model.parse("<robot name='stone'><link name='a'/></robot>"));
  assert.equal(batch.forwardDynamics([], [], []).length, 0);
  assert.equal(batch.inverseDynamics([], [], [], { wrenches: new Float64Array(6) }).length, 0);
  assert.equal(batch.constrainedDynamics([], [], []).qdd.length, 0);
  assert.equal(batch.rollout([], [], [], { steps: 3 }).q.length, 0);
  assert.deepEqual(batch.status, ['ok']);
  assert.throws(() => batch.forwardDynamics([1], [], []), /q: 1 numbers, not states x 0/);
});

test('precisions by every name', () => {
  const robot = tenon.Model.load(file('iiwa14'));
  for (const [precision, kind] of [['single', Float32Array], ['float', Float32Array], ['double', Float64Array]]) {
    assert.equal(new tenon.Batch(robot, null, { precision }).Array, kind);
  }
  fails(() => new tenon.Batch(robot, null, { precision: 'half' }), 'not_found', /there is no precision 'half'; there are: double, single/);
});

// ---- builders

// Robots are read from models/ by other means, and built again.
const attribute = (text, name) => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
const numbers = (text, name) => (attribute(text ?? '', name) ?? '').split(' ').filter(Boolean).map(Number);
const elements = (text, name) => text.match(new RegExp(`<${name}\\b[^>]*?(/>|>[^]*?</${name}>)`, 'g')) ?? [];
const place = (text) => {
  const xyz = numbers(elements(text, 'origin')[0], 'xyz');
  assert.equal(attribute(elements(text, 'origin')[0] ?? '', 'rpy'), undefined); // nothing is turned in these robots
  return [...(xyz.length ? xyz : [0, 0, 0]), 0, 0, 0, 1];
};

function built(name) {
  const text = fs.readFileSync(file(name), 'utf8').replace(/<!--[^]*?-->/g, '');
  const builder = new tenon.Builder(attribute(elements(text, 'robot')[0], 'name'));
  for (const link of elements(text.replace(/<(parent|child|predecessor|successor) link/g, '<$1 of'), 'link')) {
    const inertia = elements(link, 'inertia')[0];
    const six = ['ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'].map((i) => Number(attribute(inertia ?? '', i)));
    const mass = Number(attribute(elements(link, 'mass')[0] ?? '', 'value'));
    const centerOfMass = place(elements(link, 'inertial')[0] ?? '').slice(0, 3);
    builder.addLink(attribute(link, 'name'), inertia ? { mass, centerOfMass, inertia: six } : {});
  }
  for (const joint of elements(text, 'joint')) {
    const [parent, child] = ['parent', 'child'].map((end) => attribute(elements(joint, end)[0], 'link'));
    const axis = numbers(elements(joint, 'axis')[0], 'xyz');
    const how = { type: attribute(joint, 'type'), origin: place(joint), dependent: attribute(joint, 'independent') === 'false' };
    builder.addJoint(attribute(joint, 'name'), parent, child, axis.length ? { ...how, axis } : how);
  }
  const ends = (tie) => ['predecessor', 'successor'].map((end) => elements(tie, end)[0]);
  for (const loop of elements(text, 'loop')) {
    const [first, second] = ends(loop);
    const how = { type: attribute(loop, 'type'), pose: place(first), secondPose: place(second) };
    const axis = numbers(elements(loop, 'axis')[0], 'xyz');
    builder.addLoop(attribute(loop, 'name'), attribute(first, 'link'), attribute(second, 'link'), { ...how, axis });
  }
  for (const gear of elements(text, 'coupling')) {
    const [first, second] = ends(gear).map((end) => attribute(end, 'link'));
    builder.addGear(attribute(gear, 'name'), first, second, Number(attribute(elements(gear, 'ratio')[0], 'value')));
  }
  return builder;
}

for (const name of ['six_bar', 'four_bar', 'planar_leg_linkage', 'revolute_rotor_chain']) {
  test(`a built ${name} is the one of URDF`, () => {
    const robots = [built(name).finish(), tenon.Model.load(file(name))];
    for (const known of ['name', 'nq', 'ny', 'links', 'joints', 'loopCount', 'totalMass']) {
      assert.deepEqual(robots[0][known], robots[1][known]);
    }
    const works = robots.map((robot) => new tenon.Workspace(robot));
    const q = new Float64Array(robots[1].nq);
    assert.equal(tenon.raw.functions.tenon_workspace_guess(works[1].pointer, q, q.length), 0);
    const tau = counted(works[1].nv, 0.5, 0.25);
    const [here, there] = works.map((work) => work.forwardDynamics(q, work.zeros(), tau)); // loops hold
    close(here, there, 1e-9);
    close(works[0].gravityForce(q), works[1].gravityForce(q), 1e-12);
  });
}

test('builders go on from URDF and name what is wrong', () => {
  const text = fs.readFileSync(file('double_pendulum'));
  const [first, second] = tenon.Model.parse(text).joints;
  for (const builder of [tenon.Builder.load(file('double_pendulum')), tenon.Builder.parse(text)]) {
    builder.addFrame('beyond', builder.linkIndex('tip'), [0, 0, 1, 0, 0, 0, 1]);
    builder.addCoupling('c', [second], [first], new tenon.Matrix(1, 1, Float64Array.of(2)), [0.1]);
    const robot = builder.finish({ gravity: [0, 0, -1] });
    assert.deepEqual([robot.nv, robot.ny, robot.links.at(-1)], [2, 1, 'beyond']);
    assert.equal(new tenon.Workspace(robot).gravity[2], -1);
    fails(() => builder.addJoint('j', 'tipp', 'tip'), 'not_found', /did you mean/);
    fails(() => builder.addJoint(first, 0, 1), 'invalid_argument', new RegExp(first));
    fails(() => builder.addGear('g', 0, 77, 2), 'out_of_range', /77/);
    fails(() => builder.addJoint('j', 0, 1, { type: 'hinge' }), 'not_found', /revolute/);
    assert.throws(() => builder.addJoint('j', 0, 1, { limit: 3 }), /no option 'limit'; there are: .*lower/);
    builder.addLink('alone', { mass: 1 });
    fails(() => builder.finish(), 'invalid_model', /alone/);
    builder.dispose();
    assert.throws(() => builder.finish(), /disposed/);
  }
});
