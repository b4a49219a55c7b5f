//! What is held on the links of a model.

use crate::support::{c_text, call, count, pointer, Error, Matrix, Result, Which};
use crate::sys;
use crate::types::{ConstraintOptions, Status};
use crate::Model;
use std::os::raw::c_char;
use std::ptr;
use std::sync::Arc;

struct Handle(*mut sys::tenon_constraints);

// tenon.h: "Filled, then finished; immutable from then on, and any number of threads may read it." It is shared only
// when finished.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::tenon_constraints_destroy(self.0) }
    }
}

/// A set that is being filled; [`ConstraintSet::finish`] makes [`Constraints`] of it. Every add_... returns the index of
/// the constraint.
pub struct ConstraintSet {
    model: Model,
    handle: Handle,
}

/// A finished set: immutable, shared by its clones and by any number of threads.
#[derive(Clone)]
pub struct Constraints {
    model: Model,
    handle: Arc<Handle>,
}

impl ConstraintSet {
    pub fn new(model: &Model) -> Result<Self> {
        let mut set = ptr::null_mut();
        call(|message, size| unsafe {
            sys::tenon_constraints_create(model.as_ptr(), &mut set, message, size)
        })?;
        Ok(ConstraintSet { model: model.clone(), handle: Handle(set) })
    }

    pub fn as_mut_ptr(&mut self) -> *mut sys::tenon_constraints {
        self.handle.0
    }

    fn add(&mut self, add: impl FnOnce(*mut i32, *mut c_char, usize) -> i32) -> Result<i32> {
        let mut index = -1;
        call(|message, size| add(&mut index, message, size))?;
        Ok(index)
    }

    /// Holds a point of a link, 3, m, in the link; None: its origin.
    pub fn add_point<'a>(
        &mut self,
        link: impl Into<Which<'a>>,
        point: Option<&[f64]>,
        options: &ConstraintOptions,
    ) -> Result<i32> {
        let (set, link, options) = (self.handle.0, self.model.link_index(link)?, options.whole());
        let (at, n) = (pointer(point), count(point));
        self.add(|index, message, size| unsafe {
            sys::tenon_constraints_add_point(set, link, at, n, &options, index, message, size)
        })
    }

    /// Holds a frame of a link, pose of 7 in the link; None: the link's own.
    pub fn add_weld<'a>(
        &mut self,
        link: impl Into<Which<'a>>,
        pose: Option<&[f64]>,
        options: &ConstraintOptions,
    ) -> Result<i32> {
        let (set, link, options) = (self.handle.0, self.model.link_index(link)?, options.whole());
        let (at, n) = (pointer(pose), count(pose));
        self.add(|index, message, size| unsafe {
            sys::tenon_constraints_add_weld(set, link, at, n, &options, index, message, size)
        })
    }

    /// Holds K a = k with the spatial acceleration a of the link in its frame; K has 6 columns.
    pub fn add_rows<'a>(
        &mut self,
        link: impl Into<Which<'a>>,
        k: &Matrix,
        options: &ConstraintOptions,
    ) -> Result<i32> {
        if k.columns != 6 {
            let message = format!("K has {} columns, 6 are needed: [angular; linear]", k.columns);
            return Err(Error::new(Status::WRONG_SIZE, message));
        }
        let (set, link, options) = (self.handle.0, self.model.link_index(link)?, options.whole());
        let (at, n, rows, ld) = (k.data.as_ptr(), k.data.len(), k.rows as i32, k.leading());
        self.add(|index, message, size| unsafe {
            sys::tenon_constraints_add_rows(set, link, rows, at, n, ld, &options, index, message, size)
        })
    }

    /// Keeps a frame of one link together with one of a second link, or of the world: `tenon::sys::TENON_WORLD`.
    pub fn add_closure<'a, 'b>(
        &mut self,
        (link, pose): (impl Into<Which<'a>>, Option<&[f64]>),
        (second, second_pose): (impl Into<Which<'b>>, Option<&[f64]>),
        options: &ConstraintOptions,
    ) -> Result<i32> {
        let (link, second) = (self.model.link_index(link)?, self.model.link_index(second)?);
        let (set, options) = (self.handle.0, options.whole());
        let (at, n, second_at, second_n) = (pointer(pose), count(pose), pointer(second_pose), count(second_pose));
        self.add(|index, message, size| unsafe {
            let add = sys::tenon_constraints_add_closure;
            add(set, link, at, n, second, second_at, second_n, &options, index, message, size)
        })
    }

    /// Checks the set and makes it immutable.
    pub fn finish(self) -> Result<Constraints> {
        call(|message, size| unsafe { sys::tenon_constraints_finish(self.handle.0, message, size) })?;
        Ok(Constraints { model: self.model, handle: Arc::new(self.handle) })
    }
}

impl Constraints {
    pub fn as_ptr(&self) -> *const sys::tenon_constraints {
        self.handle.0
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn count(&self) -> usize {
        unsafe { sys::tenon_constraints_constraint_count(self.as_ptr()) as usize }
    }

    /// Length of lambda.
    pub fn row_count(&self) -> usize {
        unsafe { sys::tenon_constraints_row_count(self.as_ptr()) as usize }
    }

    /// Index of the constraint of a name.
    pub fn index(&self, name: &str) -> Result<i32> {
        let (name, mut index) = (c_text(name)?, -1);
        call(|message, size| unsafe {
            sys::tenon_constraints_find_constraint(self.as_ptr(), name.as_ptr(), &mut index, message, size)
        })?;
        Ok(index)
    }
}
