// The types of index.js. What may be left out stands behind what may not, in order, or by name in a last object, where options
// stand by their fields; `out` is where the first result is written, without it a new array. Units are SI and radians; spatial
// vectors [angular; linear], quaternions x y z w, poses [x y z qx qy qz qw]; matrices are column-major. tenon.h is the manual of
// every call.
import { load } from './raw';

export * from './layer';
export * from './support';

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
export const raw: ReturnType<typeof load>;
