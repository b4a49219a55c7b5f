//! A thousand states of Atlas on both feet in one call, then some of them 50 ms on: thousand_states models/atlas.urdf

fn main() -> tenon::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("models/atlas.urdf".into());
    let robot = tenon::Model::load(path, &tenon::ModelOptions::new().base(tenon::Base::Floating))?;
    let mut feet = tenon::ConstraintSet::new(&robot)?;
    for foot in ["l_foot", "r_foot"] {
        feet.add_weld(foot, None, &Default::default())?;
    }
    let feet = feet.finish()?;
    let mut batch = tenon::Batch::<f64>::with_constraints(&feet, &tenon::BatchOptions::new().threads(2))?;
    let mut work = tenon::Workspace::with_constraints(&feet, &Default::default())?;

    let (nq, nv, m) = (batch.nq(), batch.nv(), batch.m());
    let mut q = Vec::new();
    for seed in 0..1000 {
        q.extend(work.random(seed)?);
    }
    let zero = work.zeros(); // velocities and torques, the same for all
    let motions = batch.constrained_dynamics(&q, &zero, &zero)?;
    println!("{} states of {}: nq {nq}, nv {nv}, {m} rows", q.len() / nq, robot.name());
    println!("the left foot of state 7 is pushed up by {:.1} N", motions.lambda[7 * m + 5]);

    let largest = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
    let single = work.constrained_dynamics(&q[7 * nq..8 * nq], &zero, &zero)?.qdd;
    let difference = largest(&mut single.iter().zip(&motions.qdd[7 * nv..]).map(|(a, b)| a - b));
    let scale = largest(&mut single.iter().copied());
    println!("agrees with a single call: {}", difference <= 1e-8 * scale);

    let steps = tenon::RolloutOptions::new().dt(0.001).steps(50).every(50);
    let after = batch.rollout(&steps, &q[..16 * nq], &zero, &zero, None)?;
    let fastest = largest(&mut after.v.iter().copied());
    println!("after 50 ms the fastest joint of 16 states turns at {fastest:.1} rad/s");
    Ok(())
}
