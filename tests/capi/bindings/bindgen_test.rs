//! tenon.h through bindgen: bindgen_test <iiwa14.urdf>, beside tenon.rs that bindgen made.
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, non_snake_case, deref_nullptr)]

mod tenon {
    include!("tenon.rs");
    #[link(name = "tenon")]
    extern "C" {}
}
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use tenon::*;

fn main() {
    let robot = CString::new(std::env::args().nth(1).expect("the robot")).unwrap();
    let mut message = [0; 512];
    unsafe {
        let check = |status: tenon_status| assert_eq!(status, 0, "{:?}", CStr::from_ptr(tenon_status_string(status)));
        let mut options = std::mem::zeroed::<tenon_model_options>();
        check(tenon_model_options_init(&mut options, std::mem::size_of::<tenon_model_options>() as _));
        assert_eq!(options.gravity[2], -9.81);
        let (mut model, mut workspace) = (null_mut(), null_mut());
        check(tenon_model_load_urdf(robot.as_ptr(), &options, &mut model, message.as_mut_ptr(), 512));
        check(tenon_workspace_create(model, null(), null(), &mut workspace, message.as_mut_ptr(), 512));
        let nv = tenon_model_nv(model) as usize;
        let n = nv as _;
        let (mut q, v, tau, mut qdd) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]);
        q[1] = 0.5;
        check(tenon_forward_dynamics(workspace, q.as_ptr(), n, v.as_ptr(), n, tau.as_ptr(), n, null(), 0, qdd.as_mut_ptr(), n));
        println!("{} joints, qdd[0] = {:.6}", nv, qdd[0]);
        tenon_workspace_destroy(workspace);
        tenon_model_destroy(model);
    }
}
