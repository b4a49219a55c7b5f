//! Robots from calls, where there is no URDF, or to add what URDF has no words for.

use crate::support::{c_text, call, count, pointer, Result, Which};
use crate::sys;
use crate::types::{JointOptions, LoopOptions, ModelOptions, Status};
use crate::Model;
use std::ffi::CString;
use std::os::raw::c_char;
use std::ptr;

/// A robot in the making: links first, then the joints between them, then what ties them into loops.
///
/// ```no_run
/// # use tenon::*;
/// # fn main() -> Result<()> {
/// let mut arm = Builder::new("arm")?;
/// arm.add_link("base", 0.0, [0.0; 3], [0.0; 6])?;
/// arm.add_link("boom", 2.0, [0.0, 0.0, 0.5], [0.2, 0.0, 0.0, 0.2, 0.0, 0.01])?;
/// arm.add_joint("swing", "base", "boom", &JointOptions::new().axis([0.0, 1.0, 0.0]))?;
/// let robot = arm.finish(&ModelOptions::new())?;
/// # Ok(()) }
/// ```
///
/// Links are named, or meant by the index that `add_link` returns. Poses are [x y z qx qy qz qw]. Constraints by a function
/// are added by `sys::tenon_builder_add_implicit` on `as_mut_ptr`.
pub struct Builder(*mut sys::tenon_builder);

// tenon.h: "Threads: one at a time per builder."
unsafe impl Send for Builder {}

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { sys::tenon_builder_destroy(self.0) }
    }
}

/// Texts, and the addresses of these.
fn texts(names: &[&str]) -> Result<(Vec<CString>, Vec<*const c_char>)> {
    let kept = names.iter().map(|name| c_text(name)).collect::<Result<Vec<_>>>()?;
    let pointers = kept.iter().map(|name| name.as_ptr()).collect();
    Ok((kept, pointers))
}

impl Builder {
    fn made(make: impl FnOnce(*mut *mut sys::tenon_builder, *mut c_char, usize) -> i32) -> Result<Self> {
        let mut builder = ptr::null_mut();
        call(|message, size| make(&mut builder, message, size))?;
        Ok(Builder(builder))
    }

    /// An empty robot of a name.
    pub fn new(name: &str) -> Result<Self> {
        let name = c_text(name)?;
        Self::made(|builder, message, size| unsafe {
            sys::tenon_builder_create(name.as_ptr(), builder, message, size)
        })
    }

    /// Starts from a URDF file. Only `ignore_loops` and `ignore_mimic` matter here; other options go to `finish`.
    pub fn load(path: impl AsRef<str>, options: &ModelOptions) -> Result<Self> {
        let (path, options) = (c_text(path.as_ref())?, options.whole());
        Self::made(|builder, message, size| unsafe {
            sys::tenon_builder_load_urdf(path.as_ptr(), &options, builder, message, size)
        })
    }

    /// Starts from URDF text; otherwise as `load`.
    pub fn parse(urdf: impl AsRef<[u8]>, options: &ModelOptions) -> Result<Self> {
        let (urdf, options) = (urdf.as_ref(), options.whole());
        Self::made(|builder, message, size| unsafe {
            sys::tenon_builder_parse_urdf(urdf.as_ptr().cast(), urdf.len(), &options, builder, message, size)
        })
    }

    pub fn as_mut_ptr(&mut self) -> *mut sys::tenon_builder {
        self.0
    }

    /// Index of the link of a name.
    pub fn link_index<'a>(&self, link: impl Into<Which<'a>>) -> Result<i32> {
        link.into().find(|name, index, message, size| unsafe {
            sys::tenon_builder_find_link(self.0, name, index, message, size)
        })
    }

    /// Adds a link; returns its index. inertia: ixx ixy ixz iyy iyz izz about the centre of mass along link axes, kg m^2.
    pub fn add_link(&mut self, name: &str, mass: f64, center_of_mass: [f64; 3], inertia: [f64; 6]) -> Result<i32> {
        let (name, mut index) = (c_text(name)?, -1);
        let (center, inertia) = (center_of_mass.as_ptr(), inertia.as_ptr());
        call(|message, size| unsafe {
            sys::tenon_builder_add_link(self.0, name.as_ptr(), mass, center, 3, inertia, 6, &mut index, message, size)
        })?;
        Ok(index)
    }

    /// Hangs the link child on the link parent.
    pub fn add_joint<'a>(
        &mut self,
        name: &str,
        parent: impl Into<Which<'a>>,
        child: impl Into<Which<'a>>,
        options: &JointOptions,
    ) -> Result<Status> {
        let (name, mut raw) = (c_text(name)?, options.raw);
        raw.parent_link = self.link_index(parent)?;
        raw.child_link = self.link_index(child)?;
        call(|message, size| unsafe { sys::tenon_builder_add_joint(self.0, name.as_ptr(), &raw, message, size) })
    }

    /// Adds a named frame fixed to a link: addressed as a link in the model.
    pub fn add_frame<'a>(&mut self, name: &str, link: impl Into<Which<'a>>, pose: [f64; 7]) -> Result<Status> {
        let (name, link, pose) = (c_text(name)?, self.link_index(link)?, pose.as_ptr());
        call(|message, size| unsafe {
            sys::tenon_builder_add_frame(self.0, name.as_ptr(), link, pose, 7, message, size)
        })
    }

    /// Closes a loop by a joint between two links of the tree.
    pub fn add_loop<'a>(
        &mut self,
        name: &str,
        link: impl Into<Which<'a>>,
        second_link: impl Into<Which<'a>>,
        options: &LoopOptions,
    ) -> Result<Status> {
        let (name, mut raw) = (c_text(name)?, options.raw);
        raw.link = self.link_index(link)?;
        raw.second_link = self.link_index(second_link)?;
        call(|message, size| unsafe { sys::tenon_builder_add_loop(self.0, name.as_ptr(), &raw, message, size) })
    }

    /// Couples positions of joints of one coordinate: q_dependent = ratios q_independent + offsets. ratios: dependent x
    /// independent, row by row.
    pub fn add_coupling(
        &mut self,
        name: &str,
        dependent: &[&str],
        independent: &[&str],
        ratios: &[f64],
        offsets: Option<&[f64]>,
    ) -> Result<Status> {
        let (name, (_kept, to), (_kept_too, from)) = (c_text(name)?, texts(dependent)?, texts(independent)?);
        call(|message, size| unsafe {
            sys::tenon_builder_add_coupling(
                self.0, name.as_ptr(), to.as_ptr(), to.len(), from.as_ptr(), from.len(), ratios.as_ptr(), ratios.len(),
                to.len() as i32, pointer(offsets), count(offsets), message, size,
            )
        })
    }

    /// Adds a gear or belt: with a and b the sums of the positions of the joints on the paths from the nearest common
    /// ancestor to the link and to the second link, b = ratio a + offset.
    pub fn add_gear<'a>(
        &mut self,
        name: &str,
        link: impl Into<Which<'a>>,
        second_link: impl Into<Which<'a>>,
        ratio: f64,
        offset: f64,
    ) -> Result<Status> {
        let (name, first, second) = (c_text(name)?, self.link_index(link)?, self.link_index(second_link)?);
        call(|message, size| unsafe {
            sys::tenon_builder_add_gear(self.0, name.as_ptr(), first, second, ratio, offset, message, size)
        })
    }

    /// Checks what was added and makes a model of it. The builder may go on to further models.
    pub fn finish(&self, options: &ModelOptions) -> Result<Model> {
        let options = options.whole();
        Model::made(|model, message, size| unsafe {
            sys::tenon_builder_finish(self.0, &options, model, message, size)
        })
    }
}
