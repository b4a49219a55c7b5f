// A thousand states of Atlas on both feet in one call, then some of them 50 ms on: node thousand_states.js
// models/atlas.urdf
'use strict';
const tenon = require('..');

const robot = tenon.Model.load(process.argv[2] ?? 'models/atlas.urdf', { base: 'floating' });
const feet = new tenon.Constraints(robot);
for (const foot of ['l_foot', 'r_foot']) feet.addWeld(foot);
const batch = new tenon.Batch(robot, feet, { threads: 2 });
const work = new tenon.Workspace(robot, feet);

const { nq, nv, m } = batch;
const states = 1000;
const q = new Float64Array(states * nq);
for (let seed = 0; seed < states; ++seed) work.random(seed, q.subarray(seed * nq, (seed + 1) * nq));
const zero = work.zeros(); // velocities and torques, the same for all
const { qdd, lambda } = batch.constrainedDynamics(q, zero, zero);
console.log(`${states} states of ${robot.name}: nq ${nq}, nv ${nv}, ${m} rows`);
console.log(`the left foot of state 7 is pushed up by ${lambda[7 * m + 5].toFixed(1)} N`);

const largest = (numbers) => numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
const single = work.constrainedDynamics(q.subarray(7 * nq, 8 * nq), zero, zero).qdd;
const difference = largest(single.map((x, i) => x - qdd[7 * nv + i]));
console.log(`agrees with a single call: ${difference <= 1e-8 * largest(single)}`);

const after = batch.rollout(q.subarray(0, 16 * nq), zero, zero, { dt: 0.001, steps: 50, every: 50 });
console.log(`after 50 ms the fastest joint of 16 states turns at ${largest(after.v).toFixed(1)} rad/s`);
