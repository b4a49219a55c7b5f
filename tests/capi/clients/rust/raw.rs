//! The raw layer of Rust does and prints what c/raw.c does: raw <atlas.urdf>. TENON_LAYOUTS: a generated file.

use std::ffi::{CStr, CString};
use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_char;
use std::ptr::{null, null_mut};
use tenon_sys::*;

mod layouts {
    include!(env!("TENON_LAYOUTS"));
}

fn text(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text).to_str().unwrap().to_owned() }
}

fn main() {
    let robot = CString::new(std::env::args().nth(1).expect("a robot")).unwrap();
    let mut message = [0 as c_char; 512];
    let (words, size) = (message.as_mut_ptr(), message.len());
    layouts::print_layouts();
    unsafe {
        let check = |status: tenon_status, why: *const c_char| {
            assert!(status >= 0, "{}: {}", text(tenon_status_string(status)), text(why));
        };
        println!("version {} {}", tenon_version(), text(tenon_version_string()));
        println!("{}", text(tenon_build_info()));

        let mut options = MaybeUninit::<tenon_model_options>::uninit();
        check(tenon_model_options_init(options.as_mut_ptr(), size_of::<tenon_model_options>()), words);
        let mut options = options.assume_init();
        options.base = TENON_BASE_FLOATING;
        let mut model = null_mut();
        check(tenon_model_load_urdf(robot.as_ptr(), &options, &mut model, words, size), words);
        let (nq, nv) = (tenon_model_nq(model) as usize, tenon_model_nv(model) as usize);
        println!("{}: {nq} positions, {nv} velocities", text(tenon_model_name(model)));

        let mut index = -1;
        let joint = CString::new("l_leg_kny").unwrap();
        check(tenon_model_find_joint(model, joint.as_ptr(), &mut index, words, size), words);
        let mut info = MaybeUninit::<tenon_joint_info>::uninit();
        check(tenon_joint_info_init(info.as_mut_ptr(), size_of::<tenon_joint_info>()), words);
        let mut info = info.assume_init();
        check(tenon_model_joint_info(model, index, &mut info), words);
        let (upper, z) = (info.upper.to_bits(), info.origin[2].to_bits());
        println!("{} {index}: upper {upper:016x}, origin z {z:016x}", text(info.name));
        let nowhere = CString::new("nowhere").unwrap();
        let status = tenon_model_find_link(model, nowhere.as_ptr(), &mut index, words, size);
        println!("{}: {}", text(tenon_status_string(status)), text(words));

        let mut workspace = null_mut();
        check(tenon_workspace_create(model, null(), null(), &mut workspace, words, size), words);
        let (mut q, mut qdd) = (vec![0.0; nq], vec![0.0; nv]);
        let v: Vec<f64> = (0..nv).map(|i| 0.01 * i as f64).collect();
        let tau: Vec<f64> = (0..nv).map(|i| 10.0 - 0.5 * i as f64).collect();
        check(tenon_random(workspace, 7, q.as_mut_ptr(), nq), tenon_workspace_message(workspace));
        let status = tenon_forward_dynamics(
            workspace, q.as_ptr(), nq, v.as_ptr(), nv, tau.as_ptr(), nv, null(), 0, qdd.as_mut_ptr(), nv,
        );
        check(status, tenon_workspace_message(workspace));
        for (i, x) in qdd.iter().enumerate() {
            println!("qdd[{i}] = {:016x}", x.to_bits());
        }
        tenon_workspace_destroy(workspace);
        tenon_model_destroy(model);
    }
}
