//! Tests and examples of this package find the library where it was linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(directory) = std::env::var("DEP_TENON_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
