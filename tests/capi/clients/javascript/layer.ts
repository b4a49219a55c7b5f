// Compiled, not run: what index.js is called with agrees with index.d.ts.
import * as tenon from '../../../../capi/clients/javascript/index';

const path: string = tenon.models.path(tenon.models.names()[0]);
const robot = tenon.Model.load('atlas.urdf', { base: 'floating', gravity: [0, 0, -9.81] });
const feet = new tenon.Constraints(robot);
const index: number = feet.addWeld('l_foot', null, { rows: 'linear', frequency: 10 });
const work = new tenon.Workspace(robot, feet);
const { qdd, lambda } = work.constrainedDynamics(work.random(1n), work.zeros(), [1, 2], { solve: { method: 'pv' } });
const all: Float64Array[] = [qdd, lambda, work.massMatrix(work.neutral()).data, work.gravity];
work.gravity = [0, 0, -1];
const batch = new tenon.Batch(robot, feet, { threads: 2, precision: 'single' });
batch.setAnchors(batch.anchors(1));
batch.setActive([true]);
batch.setGains([10], [0.5]);
const records: number = batch.rollout(qdd, qdd, qdd, { steps: 3, integrator: 'runge_kutta_4' }).records;
tenon.raw.functions.tenon_model_depth(robot.pointer);
const builder = new tenon.Builder('arm');
const boom: number = builder.addLink('boom', { mass: 2, inertia: [1, 0, 0, 1, 0, 1] });
builder.addJoint('swing', 'base', boom, { type: 'continuous', axis: [0, 1, 0] });
builder.addLoop('loop', boom, 'base', { secondPose: [0, 0, 1, 0, 0, 0, 1] });
const built: tenon.Model = builder.finish({ gravity: [0, 0, -1.62] });
// @ts-expect-error: no such joint
builder.addJoint('swing', 'base', boom, { type: 'hinge' });
// @ts-expect-error: no such base
tenon.Model.load('atlas.urdf', { base: 'flying' });
// @ts-expect-error: a workspace is of a model
new tenon.Workspace(feet);
console.log(index, all, records, built);
