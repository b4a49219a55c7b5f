//! Loads a robot and prints what it is: load_and_print models/iiwa14.urdf

fn main() -> tenon::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("models/iiwa14.urdf".into());
    let robot = tenon::Model::load(path, &tenon::ModelOptions::new())?;
    let (name, joints, mass) = (robot.name(), robot.joint_count(), robot.total_mass());
    println!("{name}: {joints} joints, nq {}, nv {}, {mass:.1} kg", robot.nq(), robot.nv());
    print!("{}", robot.describe()?);
    for name in robot.joints() {
        let joint = robot.joint(&name)?;
        println!("{name}: {}, from {:.2} to {:.2}", joint.kind, joint.lower, joint.upper);
    }

    let mut work = tenon::Workspace::new(&robot, &Default::default())?;
    let q = work.random(1)?;
    work.kinematics(&q, None, None)?;
    let [x, y, z, ..] = work.link_pose(robot.link_count() as i32 - 1)?;
    println!("the last link is at {x:.3} {y:.3} {z:.3}");
    let held: Vec<_> = work.gravity_force(&q)?.iter().map(|tau| format!("{tau:.2}")).collect();
    println!("held against gravity by {}", held.join(" "));
    Ok(())
}
