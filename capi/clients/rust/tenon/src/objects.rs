//! The objects: who frees them, which threads may have them, what keeps what, and short forms of frequent calls.

use crate::constants::*;
use crate::glue::*;
use crate::structs::*;
use crate::support::*;
use crate::{sys, Status};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

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
    status: Cell<Status>,
    statuses: Vec<i32>,
    real: PhantomData<T>,
}

impl<T: Real> Batch<T> {
    pub(crate) fn owned(batch: *mut sys::tenon_batch, constraints: Constraints) -> Self {
        let (handle, status) = (BatchHandle(batch), Cell::new(Status::OK));
        Batch { handle, constraints, status, statuses: Vec::new(), real: PhantomData }
    }

    /// The precision is that of T.
    pub fn with_constraints(constraints: &Constraints, options: &BatchOptions) -> Result<Self> {
        Self::create(constraints.model(), constraints, &options.clone().precision(T::PRECISION))
    }

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
