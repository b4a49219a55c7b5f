//! Many states in one call.

use crate::support::{call, check, product, text, zeros, Error, Result};
use crate::types::{BatchOptions, RolloutOptions, SolveOptions, Status};
use crate::{sys, ConstraintSet, Constraints, Model, Which};
use std::marker::PhantomData;
use std::ptr;

/// What a batch computes with: f64, or f32 for single precision.
pub trait Real: Copy + Default + private::Sealed {
    #[doc(hidden)]
    const PRECISION: i32;
    #[doc(hidden)]
    const ONE: Self;
}

mod private {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

impl Real for f64 {
    const PRECISION: i32 = sys::TENON_PRECISION_DOUBLE;
    const ONE: f64 = 1.0;
}

impl Real for f32 {
    const PRECISION: i32 = sys::TENON_PRECISION_SINGLE;
    const ONE: f32 = 1.0;
}

/// Computes what a workspace does, of many states.
///
/// Arrays have the numbers of one state after those of another: q is states x nq. An input of the numbers of one state is
/// the same for all. Without joints a state has no numbers, and a call is of one. A state that fails spoils only itself:
/// nothing is written for it, its [`Batch::status`] is negative, and the call returns an error when the others are done; the
/// `_into` forms keep what was computed.
pub struct Batch<T: Real = f64> {
    handle: *mut sys::tenon_batch,
    constraints: Constraints,
    nq: usize,
    nv: usize,
    m: usize,
    wrenches: usize,
    status: Vec<i32>,
    real: PhantomData<T>,
}

// tenon.h: "one at a time per batch".
unsafe impl<T: Real> Send for Batch<T> {}

impl<T: Real> Drop for Batch<T> {
    fn drop(&mut self) {
        unsafe { sys::tenon_batch_destroy(self.handle) }
    }
}

/// Accelerations, states x nv, and forces of the rows, states x m.
#[derive(Clone, Debug)]
pub struct Motions<T> {
    pub qdd: Vec<T>,
    pub lambda: Vec<T>,
}

/// States x records x numbers.
#[derive(Clone, Debug)]
pub struct Records<T> {
    pub q: Vec<T>,
    pub v: Vec<T>,
}

fn wrong(what: &str, size: usize, states: usize, count: usize) -> Error {
    let message = format!("{what}: {size} numbers; {states} times {count} are needed");
    Error::new(Status::WRONG_SIZE, message)
}

/// How many states these numbers are of, `count` of each.
fn states_of<T>(what: &str, x: &[T], count: usize) -> Result<usize> {
    let fits = if count == 0 { x.is_empty() } else { x.len() % count == 0 };
    if !fits {
        return Err(Error::new(Status::WRONG_SIZE, format!("{what}: {} numbers, not states x {count}", x.len())));
    }
    Ok(if count == 0 { 1 } else { x.len() / count })
}

fn told(
    data: *mut std::ffi::c_void,
    size: usize,
    count: usize,
    state_stride: isize,
    record_stride: isize,
) -> sys::tenon_batch_array {
    let struct_size = std::mem::size_of::<sys::tenon_batch_array>() as u32;
    let (reserved, first, number_stride) = (0, 0, 1);
    sys::tenon_batch_array { struct_size, reserved, data, size, first, count, number_stride, state_stride, record_stride }
}

fn given<T>(what: &str, x: &[T], count: usize, states: usize) -> Result<sys::tenon_batch_array> {
    if x.len() != count && x.len() != product(&[count, states])? {
        return Err(wrong(what, x.len(), states, count));
    }
    let state_stride = if x.len() == count { 0 } else { count as isize };
    let data = x.as_ptr() as *mut _;
    Ok(told(data, x.len(), count, state_stride, 0))
}

fn written<T>(what: &str, x: &mut [T], count: usize, states: usize, records: usize) -> Result<sys::tenon_batch_array> {
    if x.len() != product(&[states, records, count])? {
        return Err(wrong(what, x.len(), product(&[states, records])?, count));
    }
    let (state_stride, record_stride) = (product(&[count, records])? as isize, if records > 1 { count as isize } else { 0 });
    Ok(told(x.as_mut_ptr().cast(), x.len(), count, state_stride, record_stride))
}

impl<T: Real> Batch<T> {
    pub fn new(model: &Model, options: &BatchOptions) -> Result<Self> {
        Self::with_constraints(&ConstraintSet::new(model)?.finish()?, options)
    }

    pub fn with_constraints(constraints: &Constraints, options: &BatchOptions) -> Result<Self> {
        let (model, mut raw, mut handle) = (constraints.model(), options.raw, ptr::null_mut());
        raw.precision = T::PRECISION;
        call(|message, size| unsafe {
            sys::tenon_batch_create(model.as_ptr(), constraints.as_ptr(), &raw, &mut handle, message, size)
        })?;
        Ok(Batch {
            handle,
            constraints: constraints.clone(),
            nq: model.nq(),
            nv: model.nv(),
            m: constraints.row_count(),
            wrenches: 6 * model.link_count(),
            status: Vec::new(),
            real: PhantomData,
        })
    }

    pub fn as_mut_ptr(&mut self) -> *mut sys::tenon_batch {
        self.handle
    }

    pub fn model(&self) -> &Model {
        self.constraints.model()
    }

    pub fn nq(&self) -> usize {
        self.nq
    }

    pub fn nv(&self) -> usize {
        self.nv
    }

    pub fn m(&self) -> usize {
        self.m
    }

    /// States computed side by side.
    pub fn width(&self) -> usize {
        unsafe { sys::tenon_batch_width(self.handle) as usize }
    }

    /// Of each state of the last call.
    pub fn status(&self) -> impl Iterator<Item = Status> + '_ {
        self.status.iter().map(|&status| Status(status))
    }

    pub fn set_gravity(&mut self, gravity: &[f64; 3]) -> Result<Status> {
        self.done(unsafe { sys::tenon_batch_set_gravity(self.handle, gravity.as_ptr(), 3) })
    }

    // ---- settings of constraints: those of many states are for calls of as many; those of one state hold in all

    /// The world pose at which the stabilisation of a constraint holds its frame, in all states.
    pub fn set_anchor<'a>(&mut self, constraint: impl Into<Which<'a>>, pose: &[f64]) -> Result<Status> {
        let set = self.constraints.as_ptr();
        let index = constraint.into().find(|name, index, message, size| unsafe {
            sys::tenon_constraints_find_constraint(set, name, index, message, size)
        })?;
        self.done(unsafe { sys::tenon_batch_set_anchor(self.handle, index, pose.as_ptr(), pose.len()) })
    }

    /// states x constraints x 7.
    pub fn set_anchors(&mut self, poses: &[T]) -> Result<Status> {
        let count = product(&[self.constraints.count(), 7])?;
        let n = states_of("poses", poses, count)?;
        let poses = given("poses", poses, count, n)?;
        self.done(unsafe { sys::tenon_batch_set_anchors(self.handle, n, &poses) })
    }

    /// What was set, states x constraints x 7.
    pub fn anchors(&mut self, states: usize) -> Result<Vec<T>> {
        let count = product(&[self.constraints.count(), 7])?;
        let mut poses = zeros(&[states, count])?;
        let to = written("poses", &mut poses, count, states, 1)?;
        self.done(unsafe { sys::tenon_batch_anchors(self.handle, states, &to) })?;
        Ok(poses)
    }

    /// The anchors of all constraints are where they are at q.
    pub fn anchor_here(&mut self, q: &[T]) -> Result<Status> {
        let n = self.begin(q)?;
        let q = given("q", q, self.nq, n)?;
        let status = self.status.as_mut_ptr();
        self.done(unsafe { sys::tenon_batch_anchor_here(self.handle, n, &q, status, n) })
    }

    /// Which constraints are on, states x constraints.
    pub fn set_active(&mut self, active: &[bool]) -> Result<Status> {
        let (count, numbers) = (self.constraints.count(), active.iter().map(|&on| if on { T::ONE } else { T::default() }));
        let numbers: Vec<T> = numbers.collect();
        let n = states_of("active", &numbers, count)?;
        let active = given("active", &numbers, count, n)?;
        self.done(unsafe { sys::tenon_batch_set_active(self.handle, n, &active) })
    }

    /// states x constraints.
    pub fn set_gains(&mut self, frequencies: &[T], damping_ratios: &[T]) -> Result<Status> {
        let count = self.constraints.count();
        let n = states_of("frequencies", frequencies, count)?;
        let frequencies = given("frequencies", frequencies, count, n)?;
        let ratios = given("damping_ratios", damping_ratios, count, n)?;
        self.done(unsafe { sys::tenon_batch_set_gains(self.handle, n, &frequencies, &ratios) })
    }

    // ---- computations

    fn done(&self, status: i32) -> Result<Status> {
        check(status, || text(unsafe { sys::tenon_batch_message(self.handle) }))
    }

    fn states(&self, q: &[T]) -> Result<usize> {
        states_of("q", q, self.nq)
    }

    fn begin(&mut self, q: &[T]) -> Result<usize> {
        self.status = vec![0; self.states(q)?];
        Ok(self.status.len())
    }

    fn of_states(&self, q: &[T], records: usize, count: usize) -> Result<Vec<T>> {
        zeros(&[self.states(q)?, records, count])
    }

    fn external(&self, wrenches: Option<&[T]>, states: usize) -> Result<Option<sys::tenon_batch_array>> {
        wrenches.map(|x| given("wrenches", x, self.wrenches, states)).transpose()
    }

    pub fn forward_dynamics(&mut self, q: &[T], v: &[T], tau: &[T], wrenches: Option<&[T]>) -> Result<Vec<T>> {
        let mut qdd = self.of_states(q, 1, self.nv)?;
        self.forward_dynamics_into(q, v, tau, wrenches, &mut qdd)?;
        Ok(qdd)
    }

    pub fn forward_dynamics_into(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        wrenches: Option<&[T]>,
        qdd: &mut [T],
    ) -> Result<Status> {
        let (n, nv) = (self.begin(q)?, self.nv);
        let (q, v, tau) = (given("q", q, self.nq, n)?, given("v", v, nv, n)?, given("tau", tau, nv, n)?);
        let (external, qdd) = (self.external(wrenches, n)?, written("qdd", qdd, nv, n, 1)?);
        let (external, status) = (external.as_ref().map_or(ptr::null(), |x| x as *const _), self.status.as_mut_ptr());
        self.done(unsafe {
            sys::tenon_batch_forward_dynamics(self.handle, n, &q, &v, &tau, external, &qdd, status, n)
        })
    }

    pub fn inverse_dynamics(&mut self, q: &[T], v: &[T], a: &[T], wrenches: Option<&[T]>) -> Result<Vec<T>> {
        let (mut result, n, nv) = (self.of_states(q, 1, self.nv)?, self.begin(q)?, self.nv);
        let (q, v, a) = (given("q", q, self.nq, n)?, given("v", v, nv, n)?, given("a", a, nv, n)?);
        let (external, tau) = (self.external(wrenches, n)?, written("tau", &mut result, nv, n, 1)?);
        let (external, status) = (external.as_ref().map_or(ptr::null(), |x| x as *const _), self.status.as_mut_ptr());
        self.done(unsafe {
            sys::tenon_batch_inverse_dynamics(self.handle, n, &q, &v, &a, external, &tau, status, n)
        })?;
        Ok(result)
    }

    pub fn constrained_dynamics(&mut self, q: &[T], v: &[T], tau: &[T], options: &SolveOptions) -> Result<Motions<T>> {
        let (mut qdd, mut lambda) = (self.of_states(q, 1, self.nv)?, self.of_states(q, 1, self.m)?);
        self.constrained_dynamics_into(q, v, tau, None, options, &mut qdd, &mut lambda)?;
        Ok(Motions { qdd, lambda })
    }

    /// lambda is the start of a warm start too.
    #[allow(clippy::too_many_arguments)]
    pub fn constrained_dynamics_into(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        wrenches: Option<&[T]>,
        options: &SolveOptions,
        qdd: &mut [T],
        lambda: &mut [T],
    ) -> Result<Status> {
        let (n, nv) = (self.begin(q)?, self.nv);
        let (q, v, tau) = (given("q", q, self.nq, n)?, given("v", v, nv, n)?, given("tau", tau, nv, n)?);
        let (external, qdd) = (self.external(wrenches, n)?, written("qdd", qdd, nv, n, 1)?);
        let lambda = written("lambda", lambda, self.m, n, 1)?;
        let (external, status) = (external.as_ref().map_or(ptr::null(), |x| x as *const _), self.status.as_mut_ptr());
        let (none, no_count, solve) = (ptr::null(), ptr::null_mut(), sys::tenon_batch_constrained_dynamics);
        self.done(unsafe {
            solve(self.handle, &options.raw, n, &q, &v, &tau, external, none, &qdd, &lambda, no_count, 0, status, n)
        })
    }

    /// Steps in time; tau is the same in all of them.
    pub fn rollout(&mut self, q: &[T], v: &[T], tau: &[T], options: &RolloutOptions) -> Result<Records<T>> {
        let (raw, nv) = (options.whole(), self.nv);
        let records = raw.steps / raw.every.max(1);
        let mut all = Records { q: self.of_states(q, records, self.nq)?, v: self.of_states(q, records, nv)? };
        let n = self.begin(q)?;
        let (q, v, tau) = (given("q", q, self.nq, n)?, given("v", v, nv, n)?, given("tau", tau, nv, n)?);
        let to_q = written("q", &mut all.q, self.nq, n, records)?;
        let to_v = written("v", &mut all.v, nv, n, records)?;
        let status = self.status.as_mut_ptr();
        self.done(unsafe {
            sys::tenon_batch_rollout(self.handle, &raw, n, &q, &v, &tau, ptr::null(), &to_q, &to_v, status, n)
        })?;
        Ok(all)
    }
}
