//! linked <atlas.urdf>: with libtenon linked by the compiler.

fn main() {
    let result = match std::env::args().nth(1) {
        Some(urdf) => unsafe { tenon_example::run(&tenon_example::linked!(), &urdf) },
        None => Err("usage: linked <atlas.urdf>".into()),
    };
    if let Err(message) = result {
        eprintln!("{message}");
        std::process::exit(1);
    }
}
