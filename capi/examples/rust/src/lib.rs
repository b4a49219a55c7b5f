//! Atlas with both feet welded to the ground: loads the robot, solves once, prints every joint acceleration. The same
//! program runs on functions that the linker found (`linked`) and on functions loaded at run time (`loaded`).
//!
//!     TENON_LIB_DIR=<directory of libtenon.so> cargo run --release --bin linked models/atlas.urdf
//!     cargo run --release --bin loaded <libtenon.so> models/atlas.urdf

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};

pub type Status = i32;
pub const BASE_FLOATING: i32 = 1;

#[repr(C)]
pub struct ModelOptions {
    pub struct_size: u32,
    pub base: i32,
    pub floating_joint_name: *const c_char,
    pub gravity: [f64; 3],
    pub log_callback: Option<unsafe extern "C" fn(*mut c_void, i32, *const c_char)>,
    pub log_user: *mut c_void,
    pub log_level: i32,
    pub loop_treatment: i32,
}

/// Declares the functions once, as a table of pointers and as what the linker looks for.
macro_rules! functions {
    ($($field:ident = $name:ident($($argument:ty),*) -> $result:ty;)*) => {
        pub struct Tenon {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }
        impl Tenon {
            /// Every function by name, from `find`, which returns NULL for a name that it does not know.
            ///
            /// # Safety
            /// What `find` returns must be the function of libtenon of that name, as long as the table is used.
            pub unsafe fn load(find: impl Fn(&CStr) -> *mut c_void) -> Result<Self, String> {
                Ok(Tenon { $($field: {
                    let name = CString::new(stringify!($name)).unwrap();
                    let address = find(&name);
                    if address.is_null() {
                        return Err(format!("libtenon has no function {}", stringify!($name)));
                    }
                    std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> $result>(address)
                },)* })
            }
        }
        /// For programs that link libtenon.
        #[macro_export]
        macro_rules! linked {
            () => {{
                #[allow(unused_imports)]
                use std::os::raw::{c_char, c_void};
                use tenon_example::*;
                #[link(name = "tenon")]
                extern "C" { $(fn $name($(_: $argument),*) -> $result;)* }
                Tenon { $($field: $name,)* }
            }};
        }
    };
}

functions! {
    status_string = tenon_status_string(Status) -> *const c_char;
    model_options_init = tenon_model_options_init(*mut ModelOptions, usize) -> Status;
    model_load_urdf = tenon_model_load_urdf(*const c_char, *const ModelOptions, *mut *mut c_void, *mut c_char, usize) -> Status;
    model_find_link = tenon_model_find_link(*const c_void, *const c_char, *mut i32, *mut c_char, usize) -> Status;
    model_nq = tenon_model_nq(*const c_void) -> i32;
    model_nv = tenon_model_nv(*const c_void) -> i32;
    model_destroy = tenon_model_destroy(*mut c_void) -> ();
    constraints_create = tenon_constraints_create(*const c_void, *mut *mut c_void, *mut c_char, usize) -> Status;
    constraints_add_weld = tenon_constraints_add_weld(*mut c_void, i32, *const f64, usize, *const c_void, *mut i32, *mut c_char, usize) -> Status;
    constraints_finish = tenon_constraints_finish(*mut c_void, *mut c_char, usize) -> Status;
    constraints_row_count = tenon_constraints_row_count(*const c_void) -> i32;
    constraints_destroy = tenon_constraints_destroy(*mut c_void) -> ();
    workspace_create = tenon_workspace_create(*const c_void, *const c_void, *const c_void, *mut *mut c_void, *mut c_char, usize) -> Status;
    workspace_message = tenon_workspace_message(*const c_void) -> *const c_char;
    workspace_destroy = tenon_workspace_destroy(*mut c_void) -> ();
    random = tenon_random(*mut c_void, u64, *mut f64, usize) -> Status;
    constrained_dynamics = tenon_constrained_dynamics(*mut c_void, *const c_void, *const f64, usize, *const f64, usize,
        *const f64, usize, *const f64, usize, *const f64, usize, *mut f64, usize, *mut f64, usize) -> Status;
}

/// Text that Tenon returned. Safety: `text` must be a NUL-terminated string that is still alive.
unsafe fn text(text: *const c_char) -> String {
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

/// # Safety
/// `tenon` must hold the functions of libtenon.
pub unsafe fn run(tenon: &Tenon, urdf: &str) -> Result<(), String> {
    let mut buffer = [0 as c_char; 512];
    let (message, message_size) = (buffer.as_mut_ptr(), buffer.len());
    let check = |status: Status, reason: *const c_char| match status {
        0.. => Ok(status),
        _ => Err(format!("{}: {}", text((tenon.status_string)(status)), text(reason))),
    };

    // The robot, free to move in space.
    let mut options = std::mem::zeroed::<ModelOptions>();
    check((tenon.model_options_init)(&mut options, std::mem::size_of::<ModelOptions>()), message)?;
    options.base = BASE_FLOATING;
    let (mut model, path) = (null_mut(), CString::new(urdf).unwrap());
    check((tenon.model_load_urdf)(path.as_ptr(), &options, &mut model, message, message_size), message)?;

    // Both feet are welded where they are.
    let mut constraints = null_mut();
    check((tenon.constraints_create)(model, &mut constraints, message, message_size), message)?;
    for name in ["l_foot\0", "r_foot\0"] {
        let mut foot = -1;
        check((tenon.model_find_link)(model, name.as_ptr().cast(), &mut foot, message, message_size), message)?;
        let status = (tenon.constraints_add_weld)(constraints, foot, null(), 0, null(), null_mut(), message, message_size);
        check(status, message)?;
    }
    check((tenon.constraints_finish)(constraints, message, message_size), message)?;

    let mut workspace = null_mut();
    check((tenon.workspace_create)(model, constraints, null(), &mut workspace, message, message_size), message)?;

    // Some state and some joint torques.
    let (nq, nv) = ((tenon.model_nq)(model) as usize, (tenon.model_nv)(model) as usize);
    let rows = (tenon.constraints_row_count)(constraints) as usize;
    let (mut q, mut v, mut tau, mut qdd) = (vec![0.0; nq], vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]);
    let mut lambda = vec![0.0; rows];
    check((tenon.random)(workspace, 1, q.as_mut_ptr(), nq), (tenon.workspace_message)(workspace))?;
    for i in 6..nv {
        v[i] = 0.01 * i as f64;
        tau[i] = 10.0 - 0.5 * i as f64;
    }

    let status = (tenon.constrained_dynamics)(
        workspace, null(), q.as_ptr(), nq, v.as_ptr(), nv, tau.as_ptr(), nv, null(), 0, null(), 0,
        qdd.as_mut_ptr(), nv, lambda.as_mut_ptr(), rows,
    );
    check(status, (tenon.workspace_message)(workspace))?;

    // As the 64 bits of each number, so that programs can be compared to the last one.
    println!("{}", text((tenon.status_string)(status)));
    for (i, acceleration) in qdd.iter().enumerate() {
        println!("qdd[{i}] = {:016x}", acceleration.to_bits());
    }

    (tenon.workspace_destroy)(workspace);
    (tenon.constraints_destroy)(constraints);
    (tenon.model_destroy)(model);
    Ok(())
}
