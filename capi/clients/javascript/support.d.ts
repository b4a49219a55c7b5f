// What the types of layer.d.ts are made of.
import { Status } from './layer';

/** A call that failed: nothing was written. status: its name, 'not_found'; code: its number. */
export class TenonError extends Error {
  readonly status: Status;
  readonly code: number;
}

/** A link, joint or constraint by name, or by index, which is quicker. */
export type Which = string | number;
/** Those that are Float64Array are not copied. */
export type Numbers = ArrayLike<number>;
/** Of precision 'single' arrays of a batch are Float32Array. */
export type Real = Float64Array | Float32Array;
/** Numbers of all states of a batch, one state after another, of an input also those of one state for all; or with strides:
 * number i of state s, record r, is data[first + s stateStride + r recordStride + i numberStride]. */
export type BatchNumbers = Real | readonly number[] | {
  data: Real; count: number; first?: number; numberStride?: number; stateStride?: number; recordStride?: number;
};
/** Element (i, j) is data[i + j * leading]; without, leading is rows. */
export class Matrix {
  constructor(rows: number, columns: number, data?: Float64Array, leading?: number);
  readonly rows: number;
  readonly columns: number;
  readonly leading: number;
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
