// The raw layer of JavaScript does and prints what c/raw.c does: raw.js <folder of raw.js> <libtenon.so> <atlas.urdf>.
'use strict';
const koffi = require('koffi');
const [folder, library, robot] = process.argv.slice(2);
const raw = require(folder + '/raw.js');
const { functions: tenon, constants: k, types } = raw.load(library);
const message = Buffer.alloc(512);

const text = () => message.toString('utf8', 0, message.indexOf(0));

function check(status, why) {
  if (status < 0) throw new Error(`${tenon.tenon_status_string(status)}: ${why ?? text()}`);
}

function bits(x) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(x);
  return bytes.toString('hex');
}

for (const [name, fields] of Object.entries(raw.structs)) {
  console.log(name, koffi.sizeof(types[name]), ...fields.map((field) => koffi.offsetof(types[name], field)));
}
console.log('version', tenon.tenon_version(), tenon.tenon_version_string());
console.log(tenon.tenon_build_info());

const options = {};
check(tenon.tenon_model_options_init(options, koffi.sizeof(types.tenon_model_options)));
options.base = k.TENON_BASE_FLOATING;
const out = [null];
check(tenon.tenon_model_load_urdf(robot, options, out, message, message.length));
const model = out[0];
const nq = tenon.tenon_model_nq(model);
const nv = tenon.tenon_model_nv(model);
console.log(`${tenon.tenon_model_name(model)}: ${nq} positions, ${nv} velocities`);

const index = [-1];
check(tenon.tenon_model_find_joint(model, 'l_leg_kny', index, message, message.length));
const info = {};
check(tenon.tenon_joint_info_init(info, koffi.sizeof(types.tenon_joint_info)));
check(tenon.tenon_model_joint_info(model, index[0], info));
console.log(`${info.name} ${index[0]}: upper ${bits(info.upper)}, origin z ${bits(info.origin[2])}`);
const status = tenon.tenon_model_find_link(model, 'nowhere', index, message, message.length);
console.log(`${tenon.tenon_status_string(status)}: ${text()}`);

const made = [null];
check(tenon.tenon_workspace_create(model, null, null, made, message, message.length));
const workspace = made[0];
const q = new Float64Array(nq);
const qdd = new Float64Array(nv);
const v = Float64Array.from({ length: nv }, (_, i) => 0.01 * i);
const tau = Float64Array.from({ length: nv }, (_, i) => 10.0 - 0.5 * i);
check(tenon.tenon_random(workspace, 7, q, nq), tenon.tenon_workspace_message(workspace));
check(tenon.tenon_forward_dynamics(workspace, q, nq, v, nv, tau, nv, null, 0, qdd, nv), tenon.tenon_workspace_message(workspace));
qdd.forEach((x, i) => console.log(`qdd[${i}] = ${bits(x)}`));
tenon.tenon_workspace_destroy(workspace);
tenon.tenon_model_destroy(model);
