//! Where libtenon is: in TENON_LIB_DIR if set, else where pkg-config says, else where the linker looks anyway.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=TENON_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Some(directory) = std::env::var("TENON_LIB_DIR").ok().or_else(by_pkg_config) {
        println!("cargo:rustc-link-search=native={directory}");
        println!("cargo:lib_dir={directory}");
    }
    println!("cargo:rustc-link-lib=tenon");
}

fn by_pkg_config() -> Option<String> {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let said = Command::new(program).args(["--variable=libdir", "tenon"]).output().ok()?;
    let directory = String::from_utf8(said.stdout).ok()?.trim().to_string();
    (said.status.success() && !directory.is_empty()).then_some(directory)
}
