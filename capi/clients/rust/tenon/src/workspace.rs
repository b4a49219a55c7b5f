//! The memory of computations on one state at a time.

use crate::support::{call, check, count, pointer, text, Error, Matrix, Result, Which};
use crate::types::{prepared, Axes, Coordinates, Integrator, Method, SolveOptions, SolveReport, WorkspaceOptions};
use crate::types::{DelassusMethod, Status};
use crate::{sys, Constraints, Model};
use std::ptr;

/// All memory of computations on a model and a set of constraints, or none.
///
/// What returns a vector allocates it; what ends in `_into` writes into slices of yours and allocates nothing, but for
/// the message of an error. wrenches: 6 for each link, [moment about its origin; force] along link axes; None: none.
///
/// It may move to another thread, and is not shared by threads:
///
/// ```compile_fail
/// fn shared<T: Sync>() {}
/// shared::<tenon::Workspace>();
/// ```
pub struct Workspace {
    handle: *mut sys::tenon_workspace,
    model: Model,
    constraints: Option<Constraints>,
}

// tenon.h: "One thread at a time": it may move between threads, and is not shared.
unsafe impl Send for Workspace {}

impl Drop for Workspace {
    fn drop(&mut self) {
        unsafe { sys::tenon_workspace_destroy(self.handle) }
    }
}

/// Accelerations, nv, and the forces of the constraint rows, m; a caveat of theirs, or OK.
#[derive(Clone, Debug)]
pub struct Motion {
    pub qdd: Vec<f64>,
    pub lambda: Vec<f64>,
    pub status: Status,
}

/// The state of constrained dynamics, and what may be absent.
#[derive(Clone, Copy, Default)]
pub struct Inputs<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub tau: &'a [f64],
    pub wrenches: Option<&'a [f64]>,
    /// Accelerations of the rows; None: zero.
    pub desired: Option<&'a [f64]>,
}

/// The rows at a state: J qdd = rhs.
#[derive(Clone, Debug)]
pub struct RowValues {
    pub jacobian: Matrix,
    pub rhs: Vec<f64>,
    pub position_error: Vec<f64>,
    pub velocity: Vec<f64>,
}

/// A call of the library on a workspace: slices become pointer and count, options of slices too, matrices also their
/// leading dimension; the rest goes as it is.
macro_rules! compute {
    ($self:ident, $function:ident, $($argument:tt)*) => {{
        let status = unsafe { compute!(@ ($self, $function) () $($argument)*) };
        $self.done(status)
    }};
    (@ ($self:ident, $function:ident) ($($done:tt)*)) => { sys::$function($self.handle, $($done)*) };
    (@ $head:tt ($($done:tt)*) in $x:expr, $($rest:tt)*) => {
        compute!(@ $head ($($done)* $x.as_ptr(), $x.len(),) $($rest)*) };
    (@ $head:tt ($($done:tt)*) maybe $x:expr, $($rest:tt)*) => {
        compute!(@ $head ($($done)* pointer($x), count($x),) $($rest)*) };
    (@ $head:tt ($($done:tt)*) out $x:expr, $($rest:tt)*) => {
        compute!(@ $head ($($done)* $x.as_mut_ptr(), $x.len(),) $($rest)*) };
    (@ $head:tt ($($done:tt)*) matrix $x:expr, $($rest:tt)*) => {
        compute!(@ $head ($($done)* $x.data.as_mut_ptr(), $x.data.len(), $x.leading(),) $($rest)*) };
    (@ $head:tt ($($done:tt)*) plain $x:expr, $($rest:tt)*) => { compute!(@ $head ($($done)* $x,) $($rest)*) };
}

impl Workspace {
    pub fn new(model: &Model, options: &WorkspaceOptions) -> Result<Self> {
        Self::made(model.clone(), None, options)
    }

    pub fn with_constraints(constraints: &Constraints, options: &WorkspaceOptions) -> Result<Self> {
        Self::made(constraints.model().clone(), Some(constraints.clone()), options)
    }

    fn made(model: Model, constraints: Option<Constraints>, options: &WorkspaceOptions) -> Result<Self> {
        let (mut handle, set) = (ptr::null_mut(), constraints.as_ref().map_or(ptr::null(), |c| c.as_ptr()));
        call(|message, size| unsafe {
            sys::tenon_workspace_create(model.as_ptr(), set, &options.raw, &mut handle, message, size)
        })?;
        Ok(Workspace { handle, model, constraints })
    }

    pub fn as_mut_ptr(&mut self) -> *mut sys::tenon_workspace {
        self.handle
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Positions that computations take: of every joint, or independent ones.
    pub fn nq(&self) -> usize {
        unsafe { sys::tenon_workspace_position_count(self.handle) as usize }
    }

    pub fn nv(&self) -> usize {
        unsafe { sys::tenon_workspace_velocity_count(self.handle) as usize }
    }

    /// Constraint rows.
    pub fn m(&self) -> usize {
        unsafe { sys::tenon_workspace_row_count(self.handle) as usize }
    }

    pub fn size_bytes(&self) -> usize {
        unsafe { sys::tenon_workspace_size_bytes(self.handle) }
    }

    pub fn report(&mut self) -> Result<SolveReport> {
        let mut raw = prepared!(tenon_solve_report, tenon_solve_report_init);
        compute!(self, tenon_workspace_report, plain &mut raw,)?;
        Ok(SolveReport {
            iterations: raw.iterations,
            rank: raw.rank,
            method: Method::from_number(raw.method),
            primal_residual: raw.primal_residual,
            dual_residual: raw.dual_residual,
            mu: raw.mu,
        })
    }

    fn done(&self, status: i32) -> Result<Status> {
        check(status, || text(unsafe { sys::tenon_workspace_message(self.handle) }))
    }

    fn row(&self, constraint: Which) -> Result<i32> {
        match (constraint, &self.constraints) {
            (Which::Index(index), _) => Ok(index),
            (Which::Name(name), Some(set)) => set.index(name),
            (Which::Name(_), None) => Err(Error::new(Status::NOT_FOUND, "this workspace has no constraints")),
        }
    }

    // ---- settings

    pub fn set_gravity(&mut self, gravity: &[f64; 3]) -> Result<Status> {
        compute!(self, tenon_workspace_set_gravity, in gravity,)
    }

    pub fn gravity(&mut self) -> Result<[f64; 3]> {
        let mut gravity = [0.0; 3];
        compute!(self, tenon_workspace_gravity, out gravity,)?;
        Ok(gravity)
    }

    /// The world pose at which the stabilisation of a constraint holds its frame.
    pub fn set_anchor<'a>(&mut self, constraint: impl Into<Which<'a>>, pose: &[f64]) -> Result<Status> {
        let constraint = self.row(constraint.into())?;
        compute!(self, tenon_workspace_set_anchor, plain constraint, in pose,)
    }

    pub fn anchor_here(&mut self, q: &[f64]) -> Result<Status> {
        compute!(self, tenon_anchor_here, in q,)
    }

    pub fn set_active<'a>(&mut self, constraint: impl Into<Which<'a>>, active: bool) -> Result<Status> {
        let constraint = self.row(constraint.into())?;
        compute!(self, tenon_workspace_set_active, plain constraint, plain active.into(),)
    }

    pub fn set_gains<'a>(&mut self, constraint: impl Into<Which<'a>>, frequency: f64, ratio: f64) -> Result<Status> {
        let constraint = self.row(constraint.into())?;
        compute!(self, tenon_workspace_set_gains, plain constraint, plain frequency, plain ratio,)
    }

    /// Changes nq and nv.
    pub fn set_coordinates(&mut self, positions: Coordinates, velocities: Coordinates) -> Result<Status> {
        compute!(self, tenon_workspace_set_coordinates, plain positions.into(), plain velocities.into(),)
    }

    // ---- configurations

    pub fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.nv()]
    }

    pub fn neutral(&mut self) -> Result<Vec<f64>> {
        let mut q = vec![0.0; self.nq()];
        compute!(self, tenon_neutral, out q,)?;
        Ok(q)
    }

    /// Within the limits, the same for the same seed everywhere.
    pub fn random(&mut self, seed: u64) -> Result<Vec<f64>> {
        let mut q = vec![0.0; self.nq()];
        compute!(self, tenon_random, plain seed, out q,)?;
        Ok(q)
    }

    /// q moved by dt * v.
    pub fn integrate(&mut self, q: &[f64], v: &[f64], dt: f64) -> Result<Vec<f64>> {
        let mut next = vec![0.0; self.nq()];
        compute!(self, tenon_integrate, in q, in v, plain dt, out next,)?;
        Ok(next)
    }

    /// The velocity that leads from one configuration to another in unit time.
    pub fn difference(&mut self, from: &[f64], to: &[f64]) -> Result<Vec<f64>> {
        let mut v = self.zeros();
        compute!(self, tenon_difference, in from, in to, out v,)?;
        Ok(v)
    }

    pub fn normalize(&mut self, q: &mut [f64]) -> Result<Status> {
        compute!(self, tenon_normalize, out q,)
    }

    // ---- kinematics: what follows answers for the state of the last call of kinematics

    pub fn kinematics(&mut self, q: &[f64], v: Option<&[f64]>, a: Option<&[f64]>) -> Result<Status> {
        compute!(self, tenon_kinematics, in q, maybe v, maybe a,)
    }

    /// [x y z qx qy qz qw] in the world.
    pub fn link_pose<'a>(&mut self, link: impl Into<Which<'a>>) -> Result<[f64; 7]> {
        let (link, mut pose) = (self.model.link_index(link)?, [0.0; 7]);
        compute!(self, tenon_link_pose, plain link, out pose, plain ptr::null_mut(), plain 0,)?;
        Ok(pose)
    }

    /// [angular; linear at the link's origin].
    pub fn link_velocity<'a>(&mut self, link: impl Into<Which<'a>>, axes: Axes) -> Result<[f64; 6]> {
        let (link, mut velocity) = (self.model.link_index(link)?, [0.0; 6]);
        compute!(self, tenon_link_velocity, plain link, plain axes.into(), out velocity,)?;
        Ok(velocity)
    }

    /// [angular; classical acceleration of the link's origin], without gravity.
    pub fn link_acceleration<'a>(&mut self, link: impl Into<Which<'a>>, axes: Axes) -> Result<[f64; 6]> {
        let (link, mut acceleration) = (self.model.link_index(link)?, [0.0; 6]);
        compute!(self, tenon_link_acceleration, plain link, plain axes.into(), out acceleration,)?;
        Ok(acceleration)
    }

    /// 6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin].
    pub fn jacobian<'a>(
        &mut self,
        link: impl Into<Which<'a>>,
        point: Option<&[f64]>,
        axes: Axes,
    ) -> Result<Matrix> {
        let (link, mut jacobian) = (self.model.link_index(link)?, Matrix::zeros(6, self.nv()));
        compute!(self, tenon_point_jacobian, plain link, maybe point, plain axes.into(), matrix jacobian,)?;
        Ok(jacobian)
    }

    /// Kinetic and potential, J.
    pub fn energy(&mut self) -> Result<(f64, f64)> {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        compute!(self, tenon_energy, plain &mut kinetic, plain &mut potential,)?;
        Ok((kinetic, potential))
    }

    // ---- dynamics without constraints

    /// qdd = M^-1 (tau + external - c).
    pub fn forward_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        wrenches: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        let mut qdd = self.zeros();
        self.forward_dynamics_into(q, v, tau, wrenches, &mut qdd)?;
        Ok(qdd)
    }

    pub fn forward_dynamics_into(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        wrenches: Option<&[f64]>,
        qdd: &mut [f64],
    ) -> Result<Status> {
        compute!(self, tenon_forward_dynamics, in q, in v, in tau, maybe wrenches, out qdd,)
    }

    /// tau = M a + c - external.
    pub fn inverse_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        wrenches: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        let mut tau = self.zeros();
        compute!(self, tenon_inverse_dynamics, in q, in v, in a, maybe wrenches, out tau,)?;
        Ok(tau)
    }

    /// c(q, v).
    pub fn bias(&mut self, q: &[f64], v: &[f64], wrenches: Option<&[f64]>) -> Result<Vec<f64>> {
        let mut c = self.zeros();
        compute!(self, tenon_bias, in q, in v, maybe wrenches, out c,)?;
        Ok(c)
    }

    pub fn gravity_force(&mut self, q: &[f64]) -> Result<Vec<f64>> {
        let mut g = self.zeros();
        compute!(self, tenon_gravity_force, in q, out g,)?;
        Ok(g)
    }

    pub fn mass_matrix(&mut self, q: &[f64]) -> Result<Matrix> {
        let mut mass = Matrix::zeros(self.nv(), self.nv());
        compute!(self, tenon_mass_matrix, in q, matrix mass,)?;
        Ok(mass)
    }

    // ---- dynamics with constraints

    pub fn constrained_dynamics(&mut self, q: &[f64], v: &[f64], tau: &[f64]) -> Result<Motion> {
        self.constrained_dynamics_of(&Inputs { q, v, tau, ..Inputs::default() }, &SolveOptions::default())
    }

    pub fn constrained_dynamics_of(&mut self, inputs: &Inputs, options: &SolveOptions) -> Result<Motion> {
        let (mut qdd, mut lambda) = (self.zeros(), vec![0.0; self.m()]);
        let status = self.constrained_dynamics_into(inputs, options, &mut qdd, &mut lambda)?;
        Ok(Motion { qdd, lambda, status })
    }

    /// lambda is the start of a warm start too.
    pub fn constrained_dynamics_into(
        &mut self,
        inputs: &Inputs,
        options: &SolveOptions,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Status> {
        let Inputs { q, v, tau, wrenches, desired } = *inputs;
        compute!(self, tenon_constrained_dynamics, plain &options.raw, in q, in v, in tau, maybe wrenches,
                 maybe desired, out qdd, out lambda,)
    }

    /// tau = M a + c - J^T lambda - external.
    pub fn constrained_inverse_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        lambda: &[f64],
        wrenches: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        let mut tau = self.zeros();
        compute!(self, tenon_constrained_inverse_dynamics, in q, in v, in a, maybe wrenches, in lambda, out tau,)?;
        Ok(tau)
    }

    pub fn constraint_rows(&mut self, q: &[f64], v: &[f64], desired: Option<&[f64]>) -> Result<RowValues> {
        let (mut jacobian, mut rhs) = (Matrix::zeros(self.m(), self.nv()), vec![0.0; self.m()]);
        let (mut position_error, mut velocity) = (rhs.clone(), rhs.clone());
        compute!(self, tenon_constraint_rows, in q, in v, maybe desired, matrix jacobian, out rhs,
                 out position_error, out velocity,)?;
        Ok(RowValues { jacobian, rhs, position_error, velocity })
    }

    /// J M^-1 J^T.
    pub fn delassus(&mut self, q: &[f64], method: DelassusMethod) -> Result<Matrix> {
        let mut matrix = Matrix::zeros(self.m(), self.m());
        let mut options = prepared!(tenon_delassus_options, tenon_delassus_options_init);
        options.method = method.into();
        compute!(self, tenon_delassus, plain &options, in q, matrix matrix,)?;
        Ok(matrix)
    }

    /// One step in time of the constrained system: q and v change in place.
    pub fn step(
        &mut self,
        q: &mut [f64],
        v: &mut [f64],
        tau: &[f64],
        dt: f64,
        integrator: Integrator,
        options: &SolveOptions,
    ) -> Result<Status> {
        let (none, null) = (None, ptr::null_mut());
        let options = &options.raw;
        match integrator {
            Integrator::SemiImplicitEuler => compute!(self, tenon_step_semi_implicit_euler, plain options, plain dt,
                out q, out v, in tau, maybe none, plain null, plain 0, plain null, plain 0,),
            Integrator::RungeKutta4 => compute!(self, tenon_step_runge_kutta_4, plain options, plain dt,
                out q, out v, in tau, maybe none, plain null, plain 0, plain null, plain 0,),
        }
    }
}
