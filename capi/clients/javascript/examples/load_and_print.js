// Loads a robot and prints what it is: node load_and_print.js models/iiwa14.urdf
'use strict';
const tenon = require('..');

const robot = tenon.Model.load(process.argv[2] ?? 'models/iiwa14.urdf');
const { name, jointCount, nq, nv } = robot;
console.log(`${name}: ${jointCount} joints, nq ${nq}, nv ${nv}, ${robot.totalMass.toFixed(1)} kg`);
process.stdout.write(robot.describe());
for (const joint of robot.joints.map((each) => robot.joint(each))) {
  console.log(`${joint.name}: ${joint.type}, from ${joint.lower.toFixed(2)} to ${joint.upper.toFixed(2)}`);
}

const work = new tenon.Workspace(robot);
const q = work.random(1);
work.kinematics(q);
const text = (numbers, digits) => Array.from(numbers, (x) => x.toFixed(digits)).join(' ');
console.log(`the last link is at ${text(work.linkPose(robot.linkCount - 1).subarray(0, 3), 3)}`);
console.log(`held against gravity by ${text(work.gravityForce(q), 2)}`);
