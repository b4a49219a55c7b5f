//! The objects: who frees them, which threads may have them, what keeps what, and short forms of frequent calls.

use crate::calls::{Motion, Motions};
use crate::constants::*;
use crate::glue::*;
use crate::structs::*;
use crate::support::*;
use crate::{sys, Status};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

// tenon.h: one thread at a time, any thread.
unsafe impl Send for ModelHandle {}
unsafe impl Send for ConstraintsHandle {}
unsafe impl Send for WorkspaceHandle {}
unsafe impl Send for BuilderHandle {}
unsafe impl Send for BatchHandle {}
// tenon.h: a model and a finished set are immutable, and any number of threads may read them.
unsafe impl Sync for ModelHandle {}
unsafe impl Sync for ConstraintsHandle {}

/// A robot: immutable, shared by its clones and by any number of threads.
#[derive(Clone)]
pub struct Model {
    pub(crate) handle: Arc<ModelHandle>,
}

impl Model {
    pub(crate) fn owned(model: *mut sys::tenon_model) -> Model { Model { handle: Arc::new(ModelHandle(model)) } }

    /// Takes over a model that raw calls made.
    ///
    /// # Safety
    /// The handle is of a model, nobody else destroys it, and callbacks of the model may be called by any thread.
    pub unsafe fn from_raw(model: *mut sys::tenon_model) -> Model { Model::owned(model) }

    pub fn link_index<'a>(&self, link: impl Into<Which<'a>>) -> Result<i32> {
        link.into().find(|name| self.find_link(name))
    }

    pub fn joint_index<'a>(&self, joint: impl Into<Which<'a>>) -> Result<i32> {
        joint.into().find(|name| self.find_joint(name))
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Model {}: {} joints, nq {}, nv {}", self.name(), self.joint_count(), self.nq(), self.nv())
    }
}

/// A robot in the making: links first, then the joints between them, then what ties them into loops.
///
/// ```no_run
/// # use tenon::*;
/// # fn main() -> Result<()> {
/// let mut arm = Builder::new("arm")?;
/// let base = arm.add_link("base", 0.0, None, None)?;
/// let boom = arm.add_link("boom", 2.0, Some(&[0.0, 0.0, 0.5]), Some(&[0.2, 0.0, 0.0, 0.2, 0.0, 0.01]))?;
/// arm.add_joint("swing", &JointOptions::new().parent_link(base).child_link(boom).axis([0.0, 1.0, 0.0]))?;
/// let robot = arm.finish(&ModelOptions::new())?;
/// # Ok(()) }
/// ```
pub struct Builder {
    pub(crate) handle: BuilderHandle,
}

impl Builder {
    pub(crate) fn owned(builder: *mut sys::tenon_builder) -> Self { Builder { handle: BuilderHandle(builder) } }

    pub fn link_index<'a>(&self, link: impl Into<Which<'a>>) -> Result<i32> {
        link.into().find(|name| self.find_link(name))
    }
}

/// A set that is being filled; [`ConstraintSet::finish`] makes [`Constraints`] of it. Every add_... returns the index of
/// the constraint.
pub struct ConstraintSet {
    pub(crate) handle: ConstraintsHandle,
    model: Model,
}

impl ConstraintSet {
    pub(crate) fn owned(set: *mut sys::tenon_constraints, model: Model) -> Self {
        ConstraintSet { handle: ConstraintsHandle(set), model }
    }

    /// Checks the set and makes it immutable.
    pub fn finish(mut self) -> Result<Constraints> {
        self.finish_now()?;
        Ok(Constraints { model: self.model, handle: Arc::new(self.handle) })
    }

    pub(crate) fn link_index<'a>(&self, link: impl Into<Which<'a>>) -> Result<i32> { self.model.link_index(link) }
}

/// A finished set: immutable, shared by its clones and by any number of threads.
#[derive(Clone)]
pub struct Constraints {
    model: Model,
    pub(crate) handle: Arc<ConstraintsHandle>,
}

impl Constraints {
    pub fn model(&self) -> &Model { &self.model }

    pub fn index<'a>(&self, constraint: impl Into<Which<'a>>) -> Result<i32> {
        constraint.into().find(|name| self.find(name))
    }
}

/// All memory of computations on a model and a set of constraints, or none.
///
/// What returns a vector allocates it; what ends in `_into` writes into slices of yours and allocates nothing, but for
/// the message of an error. It may move to another thread, and is not shared by threads:
///
/// ```compile_fail
/// fn shared<T: Sync>() {}
/// shared::<tenon::Workspace>();
/// ```
pub struct Workspace {
    pub(crate) handle: WorkspaceHandle,
    constraints: Constraints,
    status: Cell<Status>,
}

impl Workspace {
    pub(crate) fn owned(workspace: *mut sys::tenon_workspace, constraints: Constraints) -> Self {
        Workspace { handle: WorkspaceHandle(workspace), constraints, status: Cell::new(Status::OK) }
    }

    pub fn with_constraints(constraints: &Constraints, options: &WorkspaceOptions) -> Result<Self> {
        Self::create(constraints.model(), constraints, options)
    }

    /// Of the last computation: OK, or which caveat its answer has.
    pub fn status(&self) -> Status { self.status.get() }

    pub fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.nv()]
    }

    pub(crate) fn link_index<'a>(&self, link: impl Into<Which<'a>>) -> Result<i32> { self.model().link_index(link) }

    pub(crate) fn rows_of(&self, constraint: i32) -> Result<usize> {
        Ok(size(self.constraints.constraint_info(constraint)?.row_count))
    }

    /// Positions and velocities on the side to which a conversion goes: another library has those of every joint.
    pub(crate) fn converted_nq(&self, convention: Convention, direction: Direction) -> usize {
        if direction == Direction::ToOther { self.model().convention_nq(convention) } else { self.nq() }
    }

    pub(crate) fn converted_nv(&self, direction: Direction) -> usize {
        if direction == Direction::ToOther { self.model().nv() } else { self.nv() }
    }

    /// What moves under torques without external forces, by the options of the library.
    pub fn constrained_dynamics(&mut self, q: &[f64], v: &[f64], tau: &[f64]) -> Result<Motion> {
        self.constrained_dynamics_of(&SolveOptions::new(), q, v, tau, None, None)
    }

    /// One step in time of the constrained system: q and v change in place.
    pub fn step(
        &mut self, q: &mut [f64], v: &mut [f64], tau: &[f64], dt: f64, by: Integrator, options: &SolveOptions,
    ) -> Result<Status> {
        match by {
            Integrator::RungeKutta4 => self.step_runge_kutta_4_into(options, dt, q, v, tau, None, None, None),
            _ => self.step_semi_implicit_euler_into(options, dt, q, v, tau, None, None, None),
        }
    }
}

/// What a batch computes with: f64, or f32 for single precision.
///
/// # Safety
/// The numbers of the precision are of this type.
pub unsafe trait Real: Copy + Default + 'static {
    const PRECISION: Precision;
}

unsafe impl Real for f64 {
    const PRECISION: Precision = Precision::Double;
}

unsafe impl Real for f32 {
    const PRECISION: Precision = Precision::Single;
}

/// Computes what a workspace does, of many states.
///
/// Arrays have the numbers of one state after those of another: q is states x nq. An input of the numbers of one state is
/// the same for all; [`crate::States`] may also be apart. Without joints a state has no numbers, and a call is of one. A
/// state that fails spoils only itself: nothing is written for it, its [`Batch::status`] is negative, and the call returns
/// an error when the others are done; the `_into` forms keep what was computed.
pub struct Batch<T: Real = f64> {
    pub(crate) handle: BatchHandle,
    constraints: Constraints,
    pub(crate) coordinates: (Coordinates, Coordinates),
    status: Cell<Status>,
    statuses: Vec<i32>,
    real: PhantomData<T>,
}

impl<T: Real> Batch<T> {
    pub(crate) fn owned(batch: *mut sys::tenon_batch, constraints: Constraints) -> Self {
        let (coordinates, status) = ((Coordinates::Spanning, Coordinates::Spanning), Cell::new(Status::OK));
        Batch { handle: BatchHandle(batch), constraints, coordinates, status, statuses: Vec::new(), real: PhantomData }
    }

    pub(crate) fn likewise(self, other: &Self) -> Self { Batch { coordinates: other.coordinates, ..self } }

    /// The precision is that of T.
    pub fn with_constraints(constraints: &Constraints, options: &BatchOptions) -> Result<Self> {
        Self::create(constraints.model(), constraints, &options.clone().precision(T::PRECISION))
    }

    /// Positions of a state.
    pub fn nq(&self) -> usize {
        if self.coordinates.0 == Coordinates::Spanning { self.model().nq() } else { self.model().nyq() }
    }

    /// Velocities of a state.
    pub fn nv(&self) -> usize {
        if self.coordinates.1 == Coordinates::Spanning { self.model().nv() } else { self.model().ny() }
    }

    /// Constraint rows.
    pub fn m(&self) -> usize { self.constraints.row_count() }

    /// Of each state of the last call.
    pub fn status(&self) -> impl Iterator<Item = Status> + '_ { self.statuses.iter().map(|&status| Status(status)) }

    /// The statuses of as many states are written from here on.
    pub(crate) fn begin(&mut self, states: usize) -> Result<()> {
        self.statuses.clear();
        self.statuses.try_reserve_exact(states).map_err(|_| too_many(&[states]))?;
        self.statuses.resize(states, 0);
        Ok(())
    }

    pub(crate) fn statuses(&mut self) -> *mut i32 { self.statuses.as_mut_ptr() }

    pub fn constrained_dynamics(&mut self, q: &[T], v: &[T], tau: &[T]) -> Result<Motions<T>> {
        self.constrained_dynamics_of(&SolveOptions::new(), q, v, tau, None, None)
    }
}

macro_rules! computing {
    ($(($($of:tt)*) $object:ty, $options:ty;)*) => { $(
        impl $($of)* $object {
            /// For one robot without constraints.
            pub fn new(model: &Model, options: &$options) -> Result<Self> {
                Self::with_constraints(&ConstraintSet::new(model)?.finish()?, options)
            }

            pub fn model(&self) -> &Model { self.constraints.model() }

            /// Those it was made with; none are a set without any.
            pub fn constraint_set(&self) -> &Constraints { &self.constraints }

            pub(crate) fn constraint_index<'a>(&self, constraint: impl Into<Which<'a>>) -> Result<i32> {
                self.constraints.index(constraint)
            }

            pub(crate) fn done(&self, status: i32) -> Result<Status> {
                self.status.set(Status(status));
                checked(status, || self.message())
            }
        }
    )* };
}
computing! { () Workspace, WorkspaceOptions; (<T: Real>) Batch<T>, BatchOptions; }
