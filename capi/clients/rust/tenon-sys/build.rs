//! Where libtenon is: the file that TENON_LIBRARY names, the folder that TENON_LIB_DIR names, what pkg-config says, or a
//! folder of the system. None comes with the crate: the libraries of all systems are larger than crates.io takes.

use std::env::var;
use std::path::{Path, PathBuf};
use std::process::Command;

// Before 1.0 the name of the library has major and minor version in it.
const SERIES: [&str; 2] = [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR")];

fn main() {
    for name in ["TENON_LIBRARY", "TENON_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    if var("DOCS_RS").is_ok() {
        return; // documentation alone needs no library
    }
    let names = Names::of(&var("CARGO_CFG_TARGET_OS").unwrap_or_default());
    let mut looked = Vec::new();
    let found = match find(&names, &mut looked) {
        Some(library) => library,
        None => fail(&names, &looked),
    };
    println!("cargo:rerun-if-changed={}", found.display());
    let folder = found.parent().unwrap_or(Path::new("."));
    // A folder of Cargo's own is among those that `cargo run` and `cargo test` look into: the library goes there by the
    // names that the linker and the loader know it by.
    let own = PathBuf::from(var("OUT_DIR").expect("OUT_DIR of Cargo"));
    place(&found, &own.join(&names.linked));
    place(names.loaded_beside(&found).as_deref().unwrap_or(&found), &own.join(&names.loaded));
    println!("cargo:rustc-link-search=native={}", own.display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:lib_dir={}", folder.display());
    println!("cargo:rustc-link-lib=tenon");
}

/// File names of the library: what programs are linked to, and what they load.
struct Names {
    linked: String,
    loaded: String,
}

impl Names {
    fn of(system: &str) -> Names {
        let series = SERIES.join(".");
        let msvc = var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("msvc");
        let (linked, loaded) = match system {
            "windows" => (if msvc { "tenon.lib" } else { "libtenon.dll.a" }.into(), "tenon.dll".into()),
            "macos" | "ios" => ("libtenon.dylib".into(), format!("libtenon.{series}.dylib")),
            _ => ("libtenon.so".into(), format!("libtenon.so.{series}")),
        };
        Names { linked, loaded }
    }

    fn windows(&self) -> bool {
        self.loaded.ends_with(".dll")
    }

    /// In a folder: with what developers need, or without, as in a wheel.
    fn in_folder(&self, folder: &Path) -> Option<PathBuf> {
        let names = [&self.linked, &self.loaded];
        let count = if self.windows() { 1 } else { 2 };
        names.iter().take(count).map(|name| folder.join(name)).find(|path| path.is_file())
    }

    /// On Windows the import library lies in lib and the library in bin.
    fn loaded_beside(&self, linked: &Path) -> Option<PathBuf> {
        let folder = linked.parent()?;
        [folder.join(&self.loaded), folder.join("../bin").join(&self.loaded)].into_iter().find(|path| path.is_file())
    }
}

fn find(names: &Names, looked: &mut Vec<String>) -> Option<PathBuf> {
    if let Some(file) = given("TENON_LIBRARY", looked) {
        return match file.parent() {
            // Linked is what lies beside the .dll, or in the folder lib beside its own.
            Some(folder) if names.windows() && file.is_file() => {
                names.in_folder(folder).or_else(|| names.in_folder(&folder.join("../lib")))
            }
            _ => Some(file).filter(|path| path.is_file()),
        };
    }
    if let Some(folder) = given("TENON_LIB_DIR", looked) {
        return names.in_folder(&folder);
    }
    if let Some(folder) = by_pkg_config(looked) {
        return names.in_folder(&folder);
    }
    let target = var("TARGET").unwrap_or_default();
    if var("HOST").as_deref() != Ok(target.as_str()) {
        looked.push("no folder of the system: this is a build for another one".into());
        return None;
    }
    let debian = format!("/usr/lib/{}-linux-gnu", var("CARGO_CFG_TARGET_ARCH").unwrap_or_default());
    let folders = ["/usr/local/lib", "/usr/local/lib64", "/opt/homebrew/lib", &debian, "/usr/lib64", "/usr/lib"];
    looked.push(folders.join(", "));
    folders.iter().find_map(|folder| names.in_folder(Path::new(folder)))
}

fn given(name: &str, looked: &mut Vec<String>) -> Option<PathBuf> {
    let value = var(name).ok().filter(|value| !value.is_empty());
    looked.push(value.as_ref().map_or(format!("{name} is not set"), |value| format!("{name} is {value}")));
    value.map(PathBuf::from)
}

fn by_pkg_config(looked: &mut Vec<String>) -> Option<PathBuf> {
    let program = var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let said = Command::new(program).args(["--variable=libdir", "tenon"]).output().ok();
    let folder = said.filter(|said| said.status.success()).and_then(|said| String::from_utf8(said.stdout).ok());
    let folder = folder.map(|text| text.trim().to_string()).filter(|text| !text.is_empty());
    looked.push(folder.as_ref().map_or("pkg-config knows no tenon".into(), |path| format!("pkg-config says {path}")));
    folder.map(PathBuf::from)
}

fn place(from: &Path, to: &Path) {
    let _ = std::fs::remove_file(to);
    let from = from.canonicalize().unwrap_or_else(|_| from.into());
    #[cfg(unix)]
    let done = std::os::unix::fs::symlink(&from, to);
    #[cfg(not(unix))]
    let done = std::fs::copy(&from, to).map(|_| ());
    if let Err(error) = done {
        eprintln!("error: tenon-dynamics-sys cannot put {} at {}: {error}", from.display(), to.display());
        std::process::exit(1);
    }
}

fn fail(names: &Names, looked: &[String]) -> ! {
    let target = var("TARGET").unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    eprintln!("error: tenon-dynamics-sys found no library of Tenon, {} or {}, for {target}.", names.linked, names.loaded);
    eprintln!("It looked here: {}.", looked.join("; "));
    eprintln!("The crate brings none. There are libraries for Linux (x86_64 and aarch64, glibc 2.17 and up), Windows (x86_64)");
    eprintln!("and macOS (arm64 and x86_64):");
    eprintln!("  the archive tenon-{version}-linux-x86_64.tar.gz, or that of another system: unpack it, and");
    eprintln!("      export TENON_LIB_DIR=$PWD/tenon-{version}-linux-x86_64/lib");
    eprintln!("  the wheel: pip install tenon-dynamics, and (not on Windows: it has no import library)");
    eprintln!("      export TENON_LIB_DIR=$(python3 -c 'import tenon, os; print(os.path.dirname(tenon.__file__))')/lib");
    eprintln!("  the Debian package libtenon-dev, which needs no variable");
    eprintln!("Elsewhere build Tenon from source and install it: cmake --install build/release --prefix /usr/local");
    std::process::exit(1)
}
