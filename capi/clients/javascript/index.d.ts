// The types of index.js. Units are SI and radians; spatial vectors [angular; linear], quaternions x y z w, poses
// [x y z qx qy qz qw]; matrices are column-major. Inputs that are Float64Array are not copied, and `out` is where a
// result is written; without it a new array. tenon.h is the manual of every call.
import * as raw_layer from './raw';

/** A link, joint or constraint by name, or by index, which is quicker. */
export type Which = string | number;
export type Numbers = Float64Array | readonly number[];
export type Axes = 'link' | 'world';
export type Rows = 'angular' | 'linear' | 'all' | 'hinge' | number;
export type Coordinates = 'spanning' | 'independent';
export type Integrator = 'semi_implicit_euler' | 'runge_kutta_4';
/** The names of the constants of raw.js that begin so, in lower case without that. */
type NamesOf<Prefix extends string, All = keyof raw_layer.Constants> =
  All extends `${Prefix}${infer Name}` ? Lowercase<Name> : never;
export type Method = NamesOf<'TENON_METHOD_'>;
export type DelassusMethod = NamesOf<'TENON_DELASSUS_METHOD_'>;
export type DampedMethod = NamesOf<'TENON_DAMPED_METHOD_'>;

export interface ModelOptions {
  base?: 'fixed' | 'floating';
  floatingJointName?: string;
  gravity?: readonly number[];
  loopTreatment?: 'embed' | 'open' | 'rows' | 'automatic';
  ignoreLoops?: boolean;
  ignoreMimic?: boolean;
  tolerantInertias?: boolean;
}
export type JointType =
  | 'fixed' | 'revolute' | 'continuous' | 'prismatic' | 'spherical' | 'planar' | 'floating' | 'universal'
  | 'screw';
/** A joint that a builder adds. Limits, damping and friction are carried for the user. */
export interface JointOptions {
  /** Revolute without. */
  type?: JointType;
  /** Pose of the joint in the parent link, the child's where q is zero. */
  origin?: readonly number[];
  /** In the joint frame, any length but zero; x without. */
  axis?: readonly number[];
  /** The second axis of a universal joint. */
  axis2?: readonly number[];
  /** Of a screw, m for one radian. */
  pitch?: number;
  /** Rotor inertia seen at the joint, kg m^2 or kg. */
  armature?: number;
  lower?: number;
  upper?: number;
  velocity?: number;
  effort?: number;
  damping?: number;
  friction?: number;
  /** Where a loop moves this joint, it is to follow from others. */
  dependent?: boolean;
}
/** A joint by which a builder closes a loop. */
export interface LoopOptions {
  type?: JointType;
  /** Of the ends of the loop, each in its link. */
  pose?: readonly number[];
  secondPose?: readonly number[];
  axis?: readonly number[];
  treatment?: ModelOptions['loopTreatment'] | 'by_model';
}
export interface ConstraintOptions {
  axes?: Axes;
  rows?: Rows;
  name?: string;
  frequency?: number;
  dampingRatio?: number;
  weights?: Numbers;
  compliance?: Numbers;
}
export interface WorkspaceOptions {
  instructionSet?: 'automatic' | 'baseline' | 'x86_64_v3' | 'x86_64_v4';
  methods?: number;
  delassusMethods?: number;
  dampedMethods?: number;
  products?: number;
}
export interface SolveOptions {
  method?: Method;
  maxIterations?: number;
  warmStart?: boolean;
  accelerate?: boolean;
  splitBase?: 'automatic' | 'always' | 'never';
  absoluteTolerance?: number;
  relativeTolerance?: number;
  mu?: number;
  tikhonov?: number;
}
export interface BatchOptions {
  precision?: 'double' | 'single' | 'float';
  instructionSet?: WorkspaceOptions['instructionSet'];
  threads?: number;
}
export interface RolloutOptions {
  integrator?: Integrator;
  dt?: number;
  steps?: number;
  /** A record after each so many steps. */
  every?: number;
  solve?: SolveOptions;
}

export interface LinkInfo {
  name: string;
  parentLink: number;
  joint: number;
  body: number;
  isFrame: number;
  mass: number;
  centerOfMass: ArrayLike<number>;
  inertia: ArrayLike<number>;
}
export interface JointInfo {
  name: string;
  type: string;
  parentLink: number;
  childLink: number;
  qIndex: number;
  nq: number;
  vIndex: number;
  nv: number;
  axis: ArrayLike<number>;
  lower: number;
  upper: number;
  velocity: number;
  effort: number;
  armature: number;
  damping: number;
  friction: number;
  cluster: number;
  independent: number;
  folded: number;
  origin: ArrayLike<number>;
  pitch: number;
}
export interface ConstraintInfo {
  name: string;
  link: number;
  firstRow: number;
  rowCount: number;
  rows: number;
  axes: number;
  frequency: number;
  dampingRatio: number;
  closesLoop: number;
  secondLink: number;
}
export interface SolveReport {
  iterations: number;
  rank: number;
  method: Method;
  primalResidual: number;
  dualResidual: number;
  mu: number;
}

/** A call that failed: nothing was written. status: its name, 'not_found'; code: its number. */
export class TenonError extends Error {
  readonly status: string;
  readonly code: number;
}

/** Element (i, j) is data[i + j * rows]. */
export class Matrix {
  constructor(rows: number, columns: number, data?: Float64Array);
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;
  get(i: number, j: number): number;
  set(i: number, j: number, value: number): void;
  column(j: number): Float64Array;
}

/** An object of the library. It is freed by dispose(), by `using`, or some time after nobody holds it. */
export class Handle<T> {
  /** For the functions of `raw`. */
  readonly pointer: T;
  dispose(): void;
}

/** A robot: immutable. */
export class Model extends Handle<raw_layer.tenon_model> {
  static load(path: string, options?: ModelOptions): Model;
  static parse(urdf: string | Uint8Array, options?: ModelOptions): Model;
  /** Takes over a model that raw calls made. */
  constructor(pointer: raw_layer.tenon_model);
  readonly name: string;
  readonly nq: number;
  readonly nv: number;
  /** Independent positions and velocities, where loops are closed. */
  readonly nyq: number;
  readonly ny: number;
  readonly linkCount: number;
  readonly jointCount: number;
  readonly bodyCount: number;
  readonly loopCount: number;
  readonly depth: number;
  readonly floatingBase: boolean;
  readonly totalMass: number;
  readonly links: string[];
  readonly joints: string[];
  readonly warnings: string[];
  linkIndex(link: Which): number;
  jointIndex(joint: Which): number;
  link(link: Which): LinkInfo;
  joint(joint: Which): JointInfo;
  /** The tree as indented text. */
  describe(): string;
}

/** A robot in the making: links first, then the joints between them, then what ties them into loops. Links are named, or
 * meant by the index that addLink returns. */
export class Builder extends Handle<raw_layer.tenon_builder> {
  /** Starts from URDF. Only ignoreLoops and ignoreMimic matter here; other options go to finish. */
  static load(path: string, options?: ModelOptions): Builder;
  static parse(urdf: string | Uint8Array, options?: ModelOptions): Builder;
  constructor(name: string);
  linkIndex(link: Which): number;
  /** inertia: ixx ixy ixz iyy iyz izz about the centre of mass along link axes, kg m^2. */
  addLink(name: string, inertial?: { mass?: number; centerOfMass?: Numbers; inertia?: Numbers }): number;
  addJoint(name: string, parent: Which, child: Which, options?: JointOptions): void;
  /** A frame fixed to a link, addressed as a link in the model. */
  addFrame(name: string, link: Which, pose?: Numbers | null): void;
  /** Closes a loop by a joint between two links of the tree. */
  addLoop(name: string, link: Which, secondLink: Which, options?: LoopOptions): void;
  /** q_dependent = ratios q_independent + offsets, of joints of one coordinate; ratios column by column. */
  addCoupling(
    name: string, dependent: readonly string[], independent: readonly string[], ratios: Numbers, offsets?: Numbers | null,
  ): void;
  /** b = ratio a + offset, of the turns a and b of the two links from their nearest common ancestor. */
  addGear(name: string, link: Which, secondLink: Which, ratio: number, offset?: number): void;
  /** Checks the whole and makes a model. The builder may go on to further ones. */
  finish(options?: ModelOptions): Model;
}

/** What is held on the links of a model: filled, then finished, by finish() or the first workspace or batch. */
export class Constraints extends Handle<raw_layer.tenon_constraints> {
  constructor(model: Model);
  readonly model: Model;
  readonly finished: boolean;
  readonly count: number;
  /** Length of lambda. */
  readonly rowCount: number;
  /** A point of a link, 3 m; its origin without. */
  addPoint(link: Which, point?: Numbers | null, options?: ConstraintOptions): number;
  /** A frame of a link, pose of 7; the link's without. */
  addWeld(link: Which, pose?: Numbers | null, options?: ConstraintOptions): number;
  /** K a = k with the spatial acceleration a of the link in its frame; K has 6 columns. */
  addRows(link: Which, K: Matrix, options?: ConstraintOptions): number;
  /** Keeps frames of two links together; the second may be WORLD. */
  addClosure(
    link: Which, secondLink?: Which, options?: ConstraintOptions & { pose?: Numbers; secondPose?: Numbers },
  ): number;
  finish(): this;
  index(constraint: Which): number;
  info(constraint: Which): ConstraintInfo;
}

export interface Motion<T = Float64Array> {
  qdd: T;
  lambda: T;
}
export interface RowValues {
  J: Matrix;
  rhs: Float64Array;
  positionError: Float64Array;
  velocity: Float64Array;
}
/** wrenches: 6 for each link, [moment about its origin; force] along link axes. */
export interface Extra {
  wrenches?: Numbers | null;
  out?: Float64Array;
}
/** desired: accelerations of the rows. lambda: where to write it, and the start of a warm start. */
export interface Solving extends Extra {
  desired?: Numbers | null;
  solve?: SolveOptions;
  lambda?: Float64Array;
}

/** The memory of computations on one state at a time. */
export class Workspace extends Handle<raw_layer.tenon_workspace> {
  constructor(model: Model, constraints?: Constraints | null, options?: WorkspaceOptions);
  readonly model: Model;
  readonly constraints: Constraints | null;
  readonly nq: number;
  readonly nv: number;
  readonly m: number;
  /** Of the last computation: 'ok', or which caveat its answer has. */
  readonly status: string;
  readonly sizeBytes: number;
  readonly report: SolveReport;
  get gravity(): Float64Array;
  set gravity(value: Numbers);
  setAnchor(constraint: Which, pose: Numbers): void;
  anchorHere(q: Numbers): void;
  setActive(constraint: Which, active?: boolean): void;
  setGains(constraint: Which, frequency: number, dampingRatio?: number): void;
  /** Changes nq and nv. */
  setCoordinates(positions: Coordinates, velocities: Coordinates): void;
  zeros(): Float64Array;
  neutral(out?: Float64Array): Float64Array;
  /** Within the limits, the same for the same seed everywhere. */
  random(seed?: number | bigint, out?: Float64Array): Float64Array;
  integrate(q: Numbers, v: Numbers, dt: number, out?: Float64Array): Float64Array;
  difference(from: Numbers, to: Numbers, out?: Float64Array): Float64Array;
  normalize(q: Float64Array): Float64Array;
  /** What follows answers for this state. */
  kinematics(q: Numbers, v?: Numbers | null, a?: Numbers | null): void;
  linkPose(link: Which, out?: Float64Array): Float64Array;
  linkVelocity(link: Which, axes?: Axes, out?: Float64Array): Float64Array;
  linkAcceleration(link: Which, axes?: Axes, out?: Float64Array): Float64Array;
  /** 6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin]. */
  jacobian(link: Which, how?: { point?: Numbers; axes?: Axes; out?: Matrix }): Matrix;
  energy(): { kinetic: number; potential: number };
  /** qdd = M^-1 (tau + external - c). */
  forwardDynamics(q: Numbers, v: Numbers, tau: Numbers, extra?: Extra): Float64Array;
  /** tau = M a + c - external. */
  inverseDynamics(q: Numbers, v: Numbers, a: Numbers, extra?: Extra): Float64Array;
  bias(q: Numbers, v: Numbers, extra?: Extra): Float64Array;
  gravityForce(q: Numbers, out?: Float64Array): Float64Array;
  massMatrix(q: Numbers, out?: Matrix): Matrix;
  constrainedDynamics(q: Numbers, v: Numbers, tau: Numbers, how?: Solving): Motion;
  /** tau = M a + c - J^T lambda - external. */
  constrainedInverseDynamics(q: Numbers, v: Numbers, a: Numbers, lambda: Numbers, extra?: Extra): Float64Array;
  /** J qdd = rhs. */
  constraintRows(q: Numbers, v: Numbers, desired?: Numbers): RowValues;
  /** J M^-1 J^T. */
  delassus(q: Numbers, how?: { method?: DelassusMethod; out?: Matrix }): Matrix;
  /** (J M^-1 J^T + R + 1 / mu)^-1. */
  delassusInverse(q: Numbers, how?: { method?: DampedMethod; mu?: number; rowMu?: Numbers; out?: Matrix }): Matrix;
  /** One step in time; q and v change in place. */
  step(
    q: Float64Array, v: Float64Array, tau: Numbers, dt: number,
    how?: { wrenches?: Numbers; integrator?: Integrator; solve?: SolveOptions },
  ): void;
}

export type Real = Float64Array | Float32Array;
/** raises: false leaves the failure of a state in `status` alone. */
export interface BatchExtra {
  wrenches?: Real | readonly number[];
  out?: Real;
  raises?: boolean;
}

/** Computes what a workspace does, of many states: q is states x nq, one state after another; an input of the numbers of
 * one state is the same for all. Without joints a state has no numbers, and a call is of one. With precision 'single', or
 * 'float', arrays are Float32Array. */
export class Batch extends Handle<raw_layer.tenon_batch> {
  constructor(model: Model, constraints?: Constraints | null, options?: BatchOptions);
  readonly model: Model;
  readonly constraints: Constraints | null;
  readonly nq: number;
  readonly nv: number;
  readonly m: number;
  /** States computed side by side. */
  readonly width: number;
  /** Of each state of the last call. */
  readonly status: string[];
  setGravity(gravity: Numbers): void;
  /** The pose, 7, at which a constraint is held in all states. */
  setAnchor(constraint: Which, pose: Numbers): void;
  /** states x constraints x 7. Settings of many states are for calls of as many; those of one state hold in all. */
  setAnchors(poses: Real | readonly number[]): void;
  /** What was set, states x constraints x 7. */
  anchors(states: number): Real;
  /** The anchors of all constraints are where they are at q. */
  anchorHere(q: Real | readonly number[]): void;
  /** states x constraints, 1 or true, or 0 or false for one that is switched off. */
  setActive(active: Real | readonly (number | boolean)[]): void;
  /** states x constraints; dampingRatios: 1 without. */
  setGains(frequencies: Real | readonly number[], dampingRatios?: Real | readonly number[]): void;
  forwardDynamics(q: Real, v: Real, tau: Real, how?: BatchExtra): Real;
  inverseDynamics(q: Real, v: Real, a: Real, how?: BatchExtra): Real;
  constrainedDynamics(
    q: Real, v: Real, tau: Real, how?: BatchExtra & { desired?: Real; solve?: SolveOptions; lambda?: Real },
  ): Motion<Real>;
  /** Steps in time: states x records x numbers. */
  rollout(
    q: Real, v: Real, tau: Real, how?: RolloutOptions & { wrenches?: Real; raises?: boolean },
  ): { records: number; q: Real; v: Real };
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
