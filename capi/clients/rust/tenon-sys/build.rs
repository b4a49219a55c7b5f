//! Where libtenon is: in TENON_LIB_DIR if set, else where the linker looks anyway.

fn main() {
    println!("cargo:rerun-if-env-changed=TENON_LIB_DIR");
    if let Ok(directory) = std::env::var("TENON_LIB_DIR") {
        println!("cargo:rustc-link-search=native={directory}");
        println!("cargo:lib_dir={directory}");
    }
    println!("cargo:rustc-link-lib=tenon");
}
