//! loaded <libtenon.so> <atlas.urdf>: with libtenon loaded at run time.
//!
//! dlopen and dlsym come with the C library, so this needs no crate; `libloading` wraps them for every platform.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn dlclose(library: *mut c_void) -> c_int;
}
const RTLD_NOW: c_int = 2;

fn run(library: &str, urdf: &str) -> Result<(), String> {
    let path = CString::new(library).unwrap();
    unsafe {
        let library = dlopen(path.as_ptr(), RTLD_NOW);
        if library.is_null() {
            return Err(CStr::from_ptr(dlerror()).to_string_lossy().into_owned());
        }
        let tenon = tenon_example::Tenon::load(|name| dlsym(library, name.as_ptr()))?;
        let result = tenon_example::run(&tenon, urdf);
        dlclose(library);
        result
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let result = match arguments.as_slice() {
        [_, library, urdf] => run(library, urdf),
        _ => Err("usage: loaded <libtenon.so> <atlas.urdf>".into()),
    };
    if let Err(message) = result {
        eprintln!("{message}");
        std::process::exit(1);
    }
}
