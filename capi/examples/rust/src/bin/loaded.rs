//! loaded <libtenon.so> <atlas.urdf>: with libtenon loaded at run time.

fn run(library: &str, urdf: &str) -> Result<(), String> {
    unsafe {
        let library = libloading::Library::new(library).map_err(|error| error.to_string())?;
        let tenon = tenon_example::Tenon::load(&library).map_err(|error| error.to_string())?;
        tenon_example::run(&tenon, urdf)
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
