// The types of index.js; those of all options and methods are in layer.d.ts. What may be left out stands behind what may not, in
// order, or by name in a last object, where options stand by their fields; `out` is where the first result is written, without
// it a new array. Units are SI and radians; spatial vectors [angular; linear], quaternions x y z w, poses
// [x y z qx qy qz qw]; matrices are column-major. tenon.h is the manual of every call.
import * as layer from './layer';
import * as raw_layer from './raw';
import { BatchNumbers, Numbers, Which } from './support';

export * from './layer';
export * from './support';

/** A call that failed: nothing was written. status: its name, 'not_found'; code: its number. */
export class TenonError extends Error {
  readonly status: layer.Status;
  readonly code: number;
}

/** A robot: immutable. */
export class Model extends layer.ModelCalls {
  static load(path: string, options?: layer.ModelOptions): Model;
  static parse(urdf: string | Uint8Array, options?: layer.ModelOptions): Model;
  /** Takes over a model that raw calls made. */
  constructor(pointer: raw_layer.tenon_model);
}

/** A robot in the making: links first, then the joints between them, then what ties them into loops. */
export class Builder extends layer.BuilderCalls {
  static load(path: string, options?: layer.ModelOptions): Builder;
  static parse(urdf: string | Uint8Array, options?: layer.ModelOptions): Builder;
  constructor(name: string);
  addJoint(name: string, parent: Which, child: Which, options?: layer.JointOptions): void;
  addLoop(name: string, link: Which, secondLink: Which, options?: layer.LoopOptions): void;
  finish(options?: layer.ModelOptions): Model;
}

/** What is held on the links of a model: filled, then finished, by finish() or the first workspace or batch. */
export class Constraints extends layer.ConstraintsCalls {
  constructor(model: Model);
  readonly model: Model;
  readonly finished: boolean;
  finish(): this;
}

/** The memory of computations on one state at a time. */
export class Workspace extends layer.WorkspaceCalls {
  constructor(model: Model, constraints?: Constraints | null, options?: layer.WorkspaceOptions);
  readonly model: Model;
  readonly constraints: Constraints | null;
  /** Of the last computation: 'ok', or which caveat its answer has. */
  readonly status: layer.Status;
  readonly report: layer.SolveReport;
  get gravity(): Float64Array;
  set gravity(value: Numbers);
  zeros(): Float64Array;
  /** One step in time; q and v change in place. */
  step(
    q: Float64Array, v: Float64Array, tau: Numbers, dt: number,
    how?: { wrenches?: Numbers | null; integrator?: layer.Integrator; solve?: layer.SolveOptions },
  ): void;
}

/** Computes what a workspace does, of many states. With precision 'single' arrays are Float32Array. raises: false leaves the
 * failure of a state in `status` alone. Without joints a state has no numbers, and a call is of one. */
export class Batch extends layer.BatchCalls {
  constructor(model: Model, constraints?: Constraints | null, options?: layer.BatchOptions);
  readonly model: Model;
  readonly constraints: Constraints | null;
  readonly nq: number;
  readonly nv: number;
  readonly m: number;
  /** Of each state of the last call; and how many sweeps it took, where it solved. */
  readonly status: layer.Status[];
  readonly iterations: Int32Array;
  /** states x constraints, 1 or true, or 0 or false for one that is switched off. */
  setActive(active: BatchNumbers | readonly boolean[]): void;
}

export const WORLD: -2;
export const version: string;
/** The robots that come with the package. */
export const models: {
  /** The folder of the files; LICENSES.md is among them. */
  readonly folder: string;
  names(): string[];
  /** The URDF file of a model, by its name with or without .urdf: path('atlas'). */
  path(name: string): string;
};
/** Everything of tenon.h. */
export const raw: ReturnType<typeof raw_layer.load>;
