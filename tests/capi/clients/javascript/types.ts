// Compiled, not run: what raw.js is called with agrees with raw.d.ts.
import { load, type tenon_model, type tenon_workspace } from '../../../../capi/clients/javascript/raw';

const { functions: tenon, constants: k } = load('libtenon.so');
const message = new Uint8Array(512);
const model: [tenon_model | null] = [null];
const status: number = tenon.tenon_model_load_urdf('atlas.urdf', null, model, message, message.length);
const workspace: [tenon_workspace | null] = [null];
if (status === k.TENON_OK && model[0] !== null) {
  tenon.tenon_workspace_create(model[0], null, null, workspace, message, message.length);
  const q = new Float64Array(tenon.tenon_model_nq(model[0]));
  if (workspace[0] !== null) tenon.tenon_random(workspace[0], 7n, q, q.length);
  // @ts-expect-error: q is no array of integers
  tenon.tenon_neutral(workspace[0]!, new Int32Array(7), 7);
  // @ts-expect-error: a workspace is no model
  tenon.tenon_model_nq(workspace[0]!);
}
