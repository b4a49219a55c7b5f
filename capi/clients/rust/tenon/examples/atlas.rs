//! Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each
//! number, so that programs in other languages can be compared to the last one: atlas models/atlas.urdf

fn main() -> tenon::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("models/atlas.urdf".into());
    let robot = tenon::Model::load(path, &tenon::ModelOptions::new().base(tenon::Base::Floating))?;
    let mut feet = tenon::ConstraintSet::new(&robot)?;
    feet.add_weld("l_foot", None, &Default::default())?;
    feet.add_weld("r_foot", None, &Default::default())?;
    let mut work = tenon::Workspace::with_constraints(&feet.finish()?, &Default::default())?;

    let (q, mut v, mut tau) = (work.random(1)?, work.zeros(), work.zeros());
    for i in 6..work.nv() {
        v[i] = 0.01 * i as f64;
        tau[i] = 10.0 - 0.5 * i as f64;
    }
    let motion = work.constrained_dynamics(&q, &v, &tau)?;

    println!("{}", motion.status);
    for (i, acceleration) in motion.qdd.iter().enumerate() {
        println!("qdd[{i}] = {:016x}", acceleration.to_bits());
    }
    Ok(())
}
