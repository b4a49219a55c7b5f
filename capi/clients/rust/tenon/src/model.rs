//! Robots.

use crate::support::{c_text, call, check, text, Error, Result, Which};
use crate::types::{prepared, JointType, ModelOptions, Status};
use crate::sys;
use std::ptr;
use std::sync::Arc;

/// A robot: immutable, shared by its clones and by any number of threads.
#[derive(Clone)]
pub struct Model {
    handle: Arc<Handle>,
}

struct Handle(*mut sys::tenon_model);

// tenon.h: "Immutable; any number of threads may read it."
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::tenon_model_destroy(self.0) }
    }
}

/// What is known of a link.
#[derive(Clone, Debug)]
pub struct LinkInfo {
    pub name: String,
    /// None for the root.
    pub parent_link: Option<i32>,
    /// The moving joint that it hangs on directly.
    pub joint: Option<i32>,
    /// The body that it is lumped into; None: the world.
    pub body: Option<i32>,
    pub is_frame: bool,
    pub mass: f64,
    pub center_of_mass: [f64; 3],
    /// ixx ixy ixz iyy iyz izz about the centre of mass.
    pub inertia: [f64; 6],
}

/// What is known of a joint.
#[derive(Clone, Debug)]
pub struct JointInfo {
    pub name: String,
    pub kind: JointType,
    pub parent_link: Option<i32>,
    pub child_link: Option<i32>,
    /// Its places among the positions and among the velocities.
    pub q: std::ops::Range<usize>,
    pub v: std::ops::Range<usize>,
    pub axis: [f64; 3],
    /// Of a screw, m for one radian; else 0.
    pub pitch: f64,
    pub lower: f64,
    pub upper: f64,
    pub velocity: f64,
    pub effort: f64,
    pub armature: f64,
    pub damping: f64,
    pub friction: f64,
}

fn place(start: i32, count: i32) -> std::ops::Range<usize> {
    start as usize..(start + count) as usize
}

fn known(index: i32) -> Option<i32> {
    (index >= 0).then_some(index)
}

impl Model {
    /// A model from a URDF file.
    pub fn load(path: impl AsRef<str>, options: &ModelOptions) -> Result<Model> {
        let (path, options) = (c_text(path.as_ref())?, options.whole());
        Self::made(|model, message, size| unsafe {
            sys::tenon_model_load_urdf(path.as_ptr(), &options, model, message, size)
        })
    }

    /// A model from URDF text.
    pub fn parse(urdf: impl AsRef<[u8]>, options: &ModelOptions) -> Result<Model> {
        let (urdf, options) = (urdf.as_ref(), options.whole());
        Self::made(|model, message, size| unsafe {
            sys::tenon_model_parse_urdf(urdf.as_ptr().cast(), urdf.len(), &options, model, message, size)
        })
    }

    pub(crate) fn made(
        make: impl FnOnce(*mut *mut sys::tenon_model, *mut std::os::raw::c_char, usize) -> i32,
    ) -> Result<Model> {
        let mut model = ptr::null_mut();
        call(|message, size| make(&mut model, message, size))?;
        Ok(Model { handle: Arc::new(Handle(model)) })
    }

    /// Takes over a model that raw calls made.
    ///
    /// # Safety
    /// The handle is of a model, nobody else destroys it, and callbacks of the model may be called by any thread.
    pub unsafe fn from_raw(model: *mut sys::tenon_model) -> Model {
        Model { handle: Arc::new(Handle(model)) }
    }

    pub fn as_ptr(&self) -> *const sys::tenon_model {
        self.handle.0
    }

    pub fn name(&self) -> String {
        text(unsafe { sys::tenon_model_name(self.as_ptr()) })
    }

    /// Numbers of positions.
    pub fn nq(&self) -> usize {
        unsafe { sys::tenon_model_nq(self.as_ptr()) as usize }
    }

    /// Numbers of velocities.
    pub fn nv(&self) -> usize {
        unsafe { sys::tenon_model_nv(self.as_ptr()) as usize }
    }

    /// Independent positions, where loops are closed.
    pub fn nyq(&self) -> usize {
        unsafe { sys::tenon_model_nyq(self.as_ptr()) as usize }
    }

    /// Independent velocities, where loops are closed.
    pub fn ny(&self) -> usize {
        unsafe { sys::tenon_model_ny(self.as_ptr()) as usize }
    }

    /// Links with extra frames.
    pub fn link_count(&self) -> usize {
        unsafe { sys::tenon_model_link_count(self.as_ptr()) as usize }
    }

    /// Moving joints.
    pub fn joint_count(&self) -> usize {
        unsafe { sys::tenon_model_joint_count(self.as_ptr()) as usize }
    }

    pub fn body_count(&self) -> usize {
        unsafe { sys::tenon_model_body_count(self.as_ptr()) as usize }
    }

    /// Bodies on the longest path from the root.
    pub fn depth(&self) -> usize {
        unsafe { sys::tenon_model_depth(self.as_ptr()) as usize }
    }

    pub fn floating_base(&self) -> bool {
        unsafe { sys::tenon_model_floating_base(self.as_ptr()) == 1 }
    }

    /// kg
    pub fn total_mass(&self) -> f64 {
        unsafe { sys::tenon_model_total_mass(self.as_ptr()) }
    }

    pub fn links(&self) -> Vec<String> {
        let name = |i| text(unsafe { sys::tenon_model_link_name(self.as_ptr(), i) });
        (0..self.link_count() as i32).map(name).collect()
    }

    /// Moving joints, depth first.
    pub fn joints(&self) -> Vec<String> {
        let name = |i| text(unsafe { sys::tenon_model_joint_name(self.as_ptr(), i) });
        (0..self.joint_count() as i32).map(name).collect()
    }

    pub fn link_index<'a>(&self, link: impl Into<Which<'a>>) -> Result<i32> {
        link.into().find(|name, index, message, size| unsafe {
            sys::tenon_model_find_link(self.as_ptr(), name, index, message, size)
        })
    }

    pub fn joint_index<'a>(&self, joint: impl Into<Which<'a>>) -> Result<i32> {
        joint.into().find(|name, index, message, size| unsafe {
            sys::tenon_model_find_joint(self.as_ptr(), name, index, message, size)
        })
    }

    pub fn link<'a>(&self, link: impl Into<Which<'a>>) -> Result<LinkInfo> {
        let (index, mut raw) = (self.link_index(link)?, prepared!(tenon_link_info, tenon_link_info_init));
        let status = unsafe { sys::tenon_model_link_info(self.as_ptr(), index, &mut raw) };
        check(status, || format!("{} has no link number {index}", self.name()))?;
        Ok(LinkInfo {
            name: text(raw.name),
            parent_link: known(raw.parent_link),
            joint: known(raw.joint),
            body: known(raw.body),
            is_frame: raw.is_frame == 1,
            mass: raw.mass,
            center_of_mass: raw.center_of_mass,
            inertia: raw.inertia,
        })
    }

    pub fn joint<'a>(&self, joint: impl Into<Which<'a>>) -> Result<JointInfo> {
        let (index, mut raw) = (self.joint_index(joint)?, prepared!(tenon_joint_info, tenon_joint_info_init));
        let status = unsafe { sys::tenon_model_joint_info(self.as_ptr(), index, &mut raw) };
        check(status, || format!("{} has no joint number {index}", self.name()))?;
        let unknown = || Error::new(Status::UNSUPPORTED, format!("joint type {}", raw.r#type));
        Ok(JointInfo {
            name: text(raw.name),
            kind: JointType::from_number(raw.r#type).ok_or_else(unknown)?,
            parent_link: known(raw.parent_link),
            child_link: known(raw.child_link),
            q: place(raw.q_index, raw.nq),
            v: place(raw.v_index, raw.nv),
            axis: raw.axis,
            pitch: raw.pitch,
            lower: raw.lower,
            upper: raw.upper,
            velocity: raw.velocity,
            effort: raw.effort,
            armature: raw.armature,
            damping: raw.damping,
            friction: raw.friction,
        })
    }

    /// The tree as indented text.
    pub fn describe(&self) -> String {
        let mut needed = 0;
        unsafe { sys::tenon_model_describe(self.as_ptr(), ptr::null_mut(), 0, &mut needed) };
        let mut bytes = vec![0u8; needed.max(1)];
        let room = bytes.as_mut_ptr().cast();
        unsafe { sys::tenon_model_describe(self.as_ptr(), room, bytes.len(), ptr::null_mut()) };
        text(bytes.as_ptr().cast())
    }

    /// What the reader noticed and passed over.
    pub fn warnings(&self) -> Vec<String> {
        let count = unsafe { sys::tenon_model_warning_count(self.as_ptr()) };
        (0..count).map(|i| text(unsafe { sys::tenon_model_warning(self.as_ptr(), i) })).collect()
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Model {}: {} joints, nq {}, nv {}", self.name(), self.joint_count(), self.nq(), self.nv())
    }
}
