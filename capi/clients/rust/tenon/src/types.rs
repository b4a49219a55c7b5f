//! Statuses and options. Options are made by `new()`, which knows the defaults, and one method for each field.

pub use crate::constants::*;
use crate::support::{c_text, text};
use crate::{sys, Result};
use std::ffi::CString;

/// What a call returned: OK, or a caveat that its answer has; in an [`crate::Error`] what went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&text(unsafe { sys::tenon_status_string(self.0) }))
    }
}

impl std::fmt::Debug for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::fmt::Display for JointType {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&text(unsafe { sys::tenon_constant_name(sys::TENON_CONSTANT_JOINT_TYPE, *self as i32) }))
    }
}

/// A struct of the library that its _init function fills.
macro_rules! prepared {
    ($raw:ident, $init:ident) => {{
        let mut raw: sys::$raw = unsafe { std::mem::zeroed() };
        let status = unsafe { sys::$init(&mut raw, std::mem::size_of::<sys::$raw>()) };
        assert_eq!(status, sys::TENON_OK, concat!(stringify!($init), ": the library is of another version"));
        raw
    }};
}
pub(crate) use prepared;

macro_rules! options {
    ($(#[$about:meta])* $kind:ident, $raw:ident, $init:ident
     { $($(#[$doc:meta])* $field:ident: $given:ty,)* } $({ $($kept:ident: $type:ty,)* })?) => {
        $(#[$about])*
        #[derive(Clone)]
        pub struct $kind { pub(crate) raw: sys::$raw, $($($kept: $type,)*)? }
        impl Default for $kind {
            fn default() -> Self {
                $kind { raw: prepared!($raw, $init), $($($kept: Default::default(),)*)? }
            }
        }
        impl $kind {
            /// The defaults.
            pub fn new() -> Self { Self::default() }
            $($(#[$doc])* pub fn $field(mut self, value: $given) -> Self { self.raw.$field = value.into(); self })*
        }
    };
}

options! {
    /// How a model is made.
    ModelOptions, tenon_model_options, tenon_model_options_init {
        base: Base,
        /// m/s^2, world axes.
        gravity: [f64; 3],
        loop_treatment: LoopTreatment,
        /// Loops and couplings of URDF+ are passed over.
        ignore_loops: bool,
        ignore_mimic: bool,
        /// Takes, with a warning, joints that move no mass and inertias that no body has.
        tolerant_inertias: bool,
    } { joint_name: Option<CString>, }
}

impl ModelOptions {
    /// Of the joint that a floating base adds.
    pub fn floating_joint_name(mut self, name: &str) -> Result<Self> {
        self.joint_name = Some(c_text(name)?);
        Ok(self)
    }

    pub(crate) fn whole(&self) -> sys::tenon_model_options {
        let mut raw = self.raw;
        if let Some(name) = &self.joint_name {
            raw.floating_joint_name = name.as_ptr();
        }
        raw
    }
}

options! {
    /// A joint that a builder adds. Limits, damping and friction are carried for the user.
    JointOptions, tenon_joint_options, tenon_joint_options_init {
        /// Pose of the joint frame in the parent link, the child's where q is zero.
        origin: [f64; 7],
        /// In the joint frame, any length but zero.
        axis: [f64; 3],
        /// The second axis of a universal joint, in the joint frame where q is zero.
        axis2: [f64; 3],
        /// Of a screw, m for one radian.
        pitch: f64,
        /// Rotor inertia seen at the joint, kg m^2 or kg.
        armature: f64,
        lower: f64,
        upper: f64,
        velocity: f64,
        effort: f64,
        damping: f64,
        friction: f64,
        /// Where a loop moves this joint, it is to follow from others.
        dependent: bool,
    }
}

impl JointOptions {
    /// Revolute, where nothing is said.
    pub fn kind(mut self, kind: JointType) -> Self {
        self.raw.r#type = kind.into();
        self
    }
}

options! {
    /// A joint by which a builder closes a loop.
    LoopOptions, tenon_loop_options, tenon_loop_options_init {
        /// Of the ends of the loop, each in its link: where they coincide but for the motion of the joint.
        pose: [f64; 7],
        second_pose: [f64; 7],
        /// Of the joint, the same in both end frames.
        axis: [f64; 3],
        treatment: LoopTreatment,
    }
}

impl LoopOptions {
    /// Revolute, where nothing is said.
    pub fn kind(mut self, kind: JointType) -> Self {
        self.raw.r#type = kind.into();
        self
    }
}

options! {
    /// How a constraint holds.
    ConstraintOptions, tenon_constraint_options, tenon_constraint_options_init {
        axes: Axes,
        rows: Rows,
        /// Of the stabilisation, rad/s; 0: none.
        frequency: f64,
        damping_ratio: f64,
    } { text: Option<CString>, of_rows: [Option<Vec<f64>>; 2], }
}

impl ConstraintOptions {
    /// For messages and look-up.
    pub fn name(mut self, name: &str) -> Result<Self> {
        self.text = Some(c_text(name)?);
        Ok(self)
    }

    pub fn weights(mut self, weights: &[f64]) -> Self {
        self.of_rows[0] = Some(weights.to_vec());
        self
    }

    pub fn compliance(mut self, compliance: &[f64]) -> Self {
        self.of_rows[1] = Some(compliance.to_vec());
        self
    }

    pub(crate) fn whole(&self) -> sys::tenon_constraint_options {
        let mut raw = self.raw;
        if let Some(name) = &self.text {
            raw.name = name.as_ptr();
        }
        if let Some(weights) = &self.of_rows[0] {
            raw.weights = weights.as_ptr();
            raw.weights_count = weights.len();
        }
        if let Some(compliance) = &self.of_rows[1] {
            raw.compliance = compliance.as_ptr();
            raw.compliance_count = compliance.len();
        }
        raw
    }
}

options! {
    /// How a workspace is made. methods, ...: bits, for what to have memory from the start.
    WorkspaceOptions, tenon_workspace_options, tenon_workspace_options_init {
        instruction_set: InstructionSet, methods: u32, delassus_methods: u32, damped_methods: u32, products: u32,
    }
}

options! {
    /// How constrained dynamics are solved.
    SolveOptions, tenon_solve_options, tenon_solve_options_init {
        method: Method,
        /// 0: as many as help.
        max_iterations: i32,
        /// Starts from the lambda handed in.
        warm_start: bool,
        accelerate: bool,
        absolute_tolerance: f64,
        relative_tolerance: f64,
        mu: f64,
        tikhonov: f64,
    }
}

options! {
    /// How a batch is made.
    BatchOptions, tenon_batch_options, tenon_batch_options_init {
        instruction_set: InstructionSet,
        /// That compute, the caller's among them.
        threads: i32,
    }
}

options! {
    /// How a rollout goes on.
    RolloutOptions, tenon_rollout_options, tenon_rollout_options_init {
        integrator: Integrator,
        /// s
        dt: f64,
        steps: usize,
        /// A record after each so many steps.
        every: usize,
    } { how: Option<Box<sys::tenon_solve_options>>, }
}

impl RolloutOptions {
    pub fn solve(mut self, options: &SolveOptions) -> Self {
        self.how = Some(Box::new(options.raw));
        self
    }

    pub(crate) fn whole(&self) -> sys::tenon_rollout_options {
        let mut raw = self.raw;
        if let Some(how) = &self.how {
            raw.solve = &**how;
        }
        raw
    }
}

/// How the last constrained solve went.
#[derive(Clone, Copy, Debug)]
pub struct SolveReport {
    pub iterations: i32,
    /// Of the rows, where the method finds it; else -1.
    pub rank: i32,
    pub method: Option<Method>,
    pub primal_residual: f64,
    pub dual_residual: f64,
    pub mu: f64,
}
