//! Tenon: dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops.
//!
//! ```no_run
//! # fn main() -> tenon::Result<()> {
//! let robot = tenon::Model::load("atlas.urdf", &tenon::ModelOptions::new().base(tenon::Base::Floating))?;
//! let mut feet = tenon::ConstraintSet::new(&robot)?;
//! feet.add_weld("l_foot", None, &Default::default())?;
//! feet.add_weld("r_foot", None, &Default::default())?;
//! let mut work = tenon::Workspace::with_constraints(&feet.finish()?, &Default::default())?;
//! let (q, zero) = (work.neutral()?, work.zeros());
//! let motion = work.constrained_dynamics(&q, &zero, &zero)?;
//! # Ok(()) }
//! ```
//!
//! A robot may come from calls instead:
//!
//! ```no_run
//! # use tenon::*;
//! # fn main() -> Result<()> {
//! let mut arm = Builder::new("arm")?;
//! let base = arm.add_link("base", 0.0, None, None)?;
//! let boom = arm.add_link("boom", 2.0, Some(&[0.0, 0.0, 0.5]), Some(&[0.2, 0.0, 0.0, 0.2, 0.0, 0.01]))?;
//! arm.add_joint("swing", &JointOptions::new().parent_link(base).child_link(boom).axis([0.0, 1.0, 0.0]))?;
//! let robot = arm.finish(&ModelOptions::new())?;
//! # Ok(()) }
//! ```
//!
//! [`Model`] and [`Constraints`] are immutable, cheap to clone, and shared by any number of threads. A [`Workspace`] holds
//! the memory of computations on one state, a [`Batch`] that of many: each may move between threads and is used by one at
//! a time:
//!
//! ```compile_fail
//! fn shared<T: Sync>() {}
//! shared::<tenon::Workspace>();
//! ```
//!
//! Units are SI and radians, spatial vectors \[angular; linear\], quaternions x y z w, poses \[x y z qx qy qz qw\].
//! Matrices are column-major. What fails is an [`Error`] with status and message.
//!
//! Every function of `tenon.h` is a method here, and the words are those of the header; `as_ptr` of each object is the
//! handle for the raw functions of [`sys`].

mod callbacks;
mod calls;
mod constants;
mod glue;
mod matrix;
mod objects;
mod states;
mod structs;
mod support;

pub use callbacks::LogCallback;
pub use calls::*;
pub use constants::*;
pub use matrix::{Matrix, MatrixMut, MatrixRef, MatrixView};
pub use objects::{Batch, Builder, ConstraintSet, Constraints, Model, Workspace};
pub use states::{Real, States, StatesMut, Strides};
pub use structs::*;
pub use support::{Error, Result, Status, Which};
pub use tenon_sys as sys;
