//! Functions of the program that the library calls. A panic ends in them: it must not pass through the library.

use crate::constants::LogLevel;
use crate::matrix::MatrixMut;
use crate::glue::{c_text, c_texts, call, count_of, size, text};
use crate::support::Result;
use crate::{sys, Builder, Status};
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::Arc;

/// Takes what a call notices, one sentence at a time.
#[derive(Clone)]
pub struct LogCallback(Arc<dyn Fn(LogLevel, &str) + Send + Sync>);

impl LogCallback {
    pub fn new(function: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Self {
        LogCallback(Arc::new(function))
    }
}

pub(crate) fn logging(given: &Option<LogCallback>) -> (sys::tenon_log_callback, *mut c_void) {
    unsafe extern "C" fn log(user: *mut c_void, level: i32, message: *const c_char) {
        let callback = &*(user as *const LogCallback);
        let _ = catch_unwind(AssertUnwindSafe(|| callback.0(LogLevel(level), &text(message))));
    }
    given.as_ref().map_or((None, ptr::null_mut()), |callback| (Some(log as _), callback as *const _ as *mut c_void))
}

type Told = std::result::Result<(), Status>;
type Implicit = dyn Fn(&[f64], &[f64], &mut [f64], MatrixMut, &mut [f64]) -> Told + Send + Sync;

unsafe extern "C" fn implicit(
    user: *mut c_void, nq: i32, nv: i32, rows: i32, q: *const f64, v: *const f64, phi: *mut f64, k: *mut f64, kdot_v: *mut f64,
) -> i32 {
    let (nq, nv, rows) = (size(nq), size(nv), size(rows));
    let out = |start, count| std::slice::from_raw_parts_mut(start, count);
    let (q, v) = (std::slice::from_raw_parts(q, nq), std::slice::from_raw_parts(v, nv));
    let k = MatrixMut::new(out(k, rows * nv), rows, nv, rows);
    let function = &*(user as *const Box<Implicit>);
    match catch_unwind(AssertUnwindSafe(|| function(q, v, out(phi, rows), k, out(kdot_v, rows)))) {
        Ok(Ok(())) => sys::TENON_OK,
        Ok(Err(status)) => status.0,
        Err(_) => sys::TENON_INVALID_ARGUMENT,
    }
}

unsafe extern "C" fn release(user: *mut c_void) {
    drop(Box::from_raw(user as *mut Box<Implicit>));
}

impl Builder {
    /// Adds a constraint phi(q) = 0 on some joints that only a function knows: of their positions and velocities, in the
    /// order of their names, it writes phi, K = d phi / dt by v, and (dK/dt) v, or returns why it cannot, NOT_FINITE where
    /// the constraint is not known. It is called in every computation, by the threads that compute, at once.
    pub fn add_implicit(
        &mut self, name: &str, joints: &[&str], rows: usize,
        function: impl Fn(&[f64], &[f64], &mut [f64], MatrixMut, &mut [f64]) -> Told + Send + Sync + 'static,
    ) -> Result<Status> {
        let (name, joints, rows) = (c_text(name)?, c_texts(joints)?, count_of(rows)?);
        let user = Box::into_raw(Box::new(Box::new(function) as Box<Implicit>)) as *mut c_void;
        let (add, own) = (sys::tenon_builder_add_implicit, self.raw());
        call(|message, message_size| unsafe {
            let (texts, count) = (joints.1.as_ptr(), joints.1.len());
            add(own, name.as_ptr(), texts, count, rows, Some(implicit), user, Some(release), message, message_size)
        })
        .map_err(|error| {
            unsafe { release(user) }; // What failed leaves it here.
            error
        })
    }
}
