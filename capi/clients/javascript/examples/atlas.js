// Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each
// number, so that programs in other languages can be compared to the last one: node atlas.js models/atlas.urdf
'use strict';
const tenon = require('..');

const robot = tenon.Model.load(process.argv[2] ?? 'models/atlas.urdf', { base: 'floating' });
const feet = new tenon.Constraints(robot);
feet.addWeld('l_foot');
feet.addWeld('r_foot');
const work = new tenon.Workspace(robot, feet);

const v = work.zeros();
const tau = work.zeros();
for (let i = 6; i < work.nv; ++i) {
  v[i] = 0.01 * i;
  tau[i] = 10.0 - 0.5 * i;
}
const { qdd } = work.constrainedDynamics(work.random(1), v, tau);

console.log(work.status);
const bits = new BigUint64Array(qdd.buffer);
bits.forEach((number, i) => console.log(`qdd[${i}] = ${number.toString(16).padStart(16, '0')}`));
