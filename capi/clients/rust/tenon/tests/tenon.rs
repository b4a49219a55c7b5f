//! What the crate hands to the library and back, against identities that the calls under test do not compute themselves.

mod common;
use common::*;
use tenon::*;

#[test]
fn models_tell_what_they_are() {
    let robot = model("iiwa14", Base::Fixed);
    assert_eq!((robot.name(), robot.nq(), robot.nv(), robot.floating_base()), ("iiwa14".into(), 7, 7, false));
    assert_eq!(robot.links()[robot.link_index("iiwa_link_7").unwrap() as usize], "iiwa_link_7");
    let joint = robot.joint("iiwa_joint_3").unwrap();
    assert_eq!((joint.kind, joint.q_index, joint.nq, robot.joint(2).unwrap().name), (JointType::Revolute, 2, 1, "iiwa_joint_3".into()));
    let mass: f64 = robot.links().iter().map(|name| robot.link(name).unwrap().mass).sum();
    assert!((mass - robot.total_mass()).abs() < 1e-10);
    assert!(robot.describe().unwrap().contains("iiwa_joint_7") && robot.warnings().is_empty());
    fails(robot.link("iiwa_link_8"), Status::NOT_FOUND, "did you mean");
    fails(robot.link(99), Status::OUT_OF_RANGE, "99");
    fails(Model::load("none.urdf", &ModelOptions::new()), Status::FILE_ERROR, "none.urdf");
    fails(Model::parse("<robot", &ModelOptions::new()), Status::PARSE_ERROR, "parse_error");
    fails(Model::load("a\0b", &ModelOptions::new()), Status::INVALID_ARGUMENT, "zero");
    let named = ModelOptions::new().base(Base::Floating).floating_joint_name("free").gravity([0.0, 0.0, -1.0]);
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../models/iiwa14.urdf")).unwrap();
    let floating = Model::parse(text, &named).unwrap();
    assert_eq!((floating.joints()[0].as_str(), floating.nv()), ("free", 13));
    assert_eq!(Workspace::new(&floating, &Default::default()).unwrap().gravity().unwrap()[2], -1.0);
}

#[test]
fn dynamics_agree_with_the_mass_matrix() {
    let robot = model("atlas", Base::Floating);
    let mut work = Workspace::new(&robot, &Default::default()).unwrap();
    let (q, n) = (work.random(3).unwrap(), work.nv());
    let (v, tau) = (counted(n, -0.2, 0.01), counted(n, 5.0, -0.3));
    let qdd = work.forward_dynamics(&q, &v, &tau, None).unwrap();
    let mass = work.mass_matrix(&q).unwrap();
    close(&plus(&times(&mass, &qdd), &work.bias(&q, &v, None).unwrap()), &tau, 1e-8);
    close(&work.inverse_dynamics(&q, &v, &qdd, None).unwrap(), &tau, 1e-8);

    let hand = robot.link_index("l_hand").unwrap();
    let mut wrenches = vec![0.0; 6 * robot.link_count()];
    wrenches[6 * hand as usize + 3] = -10.0;
    work.kinematics(&q, Some(&v), None).unwrap();
    let jacobian = work.jacobian(hand, Axes::Link).unwrap();
    let push = transposed_times(&jacobian, &[0.0, 0.0, 0.0, 10.0, 0.0, 0.0]);
    close(&work.inverse_dynamics(&q, &v, &qdd, Some(&wrenches)).unwrap(), &plus(&tau, &push), 1e-8);
    work.kinematics(&q, Some(&v), None).unwrap();
    close(&times(&jacobian, &v), &work.link_velocity("l_hand", Axes::Link).unwrap(), 1e-10);

    let next = work.integrate(&q, &v, 0.01).unwrap();
    close(&work.difference(&q, &next).unwrap(), &v.iter().map(|v| 0.01 * v).collect::<Vec<_>>(), 1e-10);
    let mut kept = qdd.clone();
    fails(work.forward_dynamics_into(&q[1..], &v, &tau, None, &mut kept), Status::WRONG_SIZE, "q");
    assert_eq!(kept, qdd);
}

#[test]
fn constraints_hold() {
    let robot = model("atlas", Base::Floating);
    let mut set = ConstraintSet::new(&robot).unwrap();
    set.add_weld("l_foot", None, &Default::default()).unwrap();
    let hand = ConstraintOptions::new().name("hand");
    assert_eq!(set.add_point("l_hand", Some(&[0.1, 0.0, 0.0]), &hand).unwrap(), 1);
    let mut k = Matrix::zeros(2, 6);
    k[(0, 3)] = 1.0;
    k[(1, 1)] = 1.0;
    set.add_rows("r_foot", &k, &Default::default()).unwrap();
    fails(set.add_rows("r_foot", &Matrix::zeros(6, 2), &Default::default()), Status::WRONG_SIZE, "6 are needed");
    fails(set.add_point("l_hand", Some(&[0.1]), &hand), Status::WRONG_SIZE, "point");
    let set = set.finish().unwrap();
    drop(robot); // what was made from it stays good
    assert_eq!((set.count(), set.row_count(), set.index("hand").unwrap()), (3, 11, 1));

    let mut work = Workspace::with_constraints(&set, &Default::default()).unwrap();
    let (q, n) = (work.random(5).unwrap(), work.nv());
    let (v, tau) = (counted(n, 0.1, -0.01), counted(n, -3.0, 0.2));
    let motion = work.constrained_dynamics(&q, &v, &tau).unwrap();
    assert!(motion.status == Status::OK && work.report().unwrap().primal_residual < 1e-6);
    let rows = work.constraint_rows(&q, &v, None).unwrap();
    close(&times(&rows.J, &motion.qdd), &rows.rhs, 1e-7);
    let forces = transposed_times(&rows.J, &motion.lambda);
    let mass = work.mass_matrix(&q).unwrap();
    let moved = plus(&times(&mass, &motion.qdd), &work.bias(&q, &v, None).unwrap());
    close(&moved, &plus(&tau, &forces), 1e-7);
    close(&work.constrained_inverse_dynamics(&q, &v, &motion.qdd, None, Some(&motion.lambda)).unwrap(), &tau, 1e-7);

    let dense = SolveOptions::new().method(Method::Dense);
    close(&work.constrained_dynamics_of(&dense, &q, &v, &tau, None, None).unwrap().qdd, &motion.qdd, 1e-6);
    assert_eq!(work.report().unwrap().method, Method::Dense);

    // A column of the Delassus matrix by forward dynamics from rest.
    let delassus = work.delassus(&DelassusOptions::new(), &q).unwrap();
    let mut free = Workspace::new(work.model(), &Default::default()).unwrap();
    let (zero, mut unit) = (free.zeros(), vec![0.0; 11]);
    unit[4] = 1.0;
    let push = plus(&free.bias(&q, &zero, None).unwrap(), &transposed_times(&rows.J, &unit));
    close(delassus.column(4), &times(&rows.J, &free.forward_dynamics(&q, &zero, &push, None).unwrap()), 1e-7);

    let (mut next, mut speed) = (q.clone(), v.clone());
    work.step(&mut next, &mut speed, &tau, 0.001, Integrator::SemiImplicitEuler, &Default::default()).unwrap();
    close(&work.difference(&q, &next).unwrap(), &speed.iter().map(|v| 0.001 * v).collect::<Vec<_>>(), 1e-9);
    work.set_active("hand", false).unwrap();
    let other = work.constrained_dynamics(&q, &v, &tau).unwrap();
    assert!(other.qdd.iter().zip(&motion.qdd).any(|(a, b)| (a - b).abs() > 1e-3));
    fails(free.set_active("hand", false), Status::NOT_FOUND, "hand");
}

#[test]
fn batches_do_what_workspaces_do() {
    let robot = model("atlas", Base::Floating);
    let mut set = ConstraintSet::new(&robot).unwrap();
    set.add_weld("l_foot", None, &Default::default()).unwrap();
    let set = set.finish().unwrap();
    let mut batch = Batch::<f64>::with_constraints(&set, &Default::default()).unwrap();
    let mut work = Workspace::with_constraints(&set, &Default::default()).unwrap();
    let (states, nq, nv) = (9, batch.nq(), batch.nv());
    let mut q: Vec<f64> = (0..states).flat_map(|seed| work.random(seed as u64).unwrap()).collect();
    let (v, mut tau) = (vec![0.1; nv], vec![1.0; states * nv]);
    tau[3 * nv + 8] = 20.0;
    let free = batch.forward_dynamics(&q, &v, &tau, None).unwrap();
    close(&batch.inverse_dynamics(&q, &v, &free, None).unwrap(), &tau, 1e-7);
    let held = batch.constrained_dynamics(&q, &v, &tau).unwrap();
    for i in 0..states {
        let motion = work.constrained_dynamics(&q[i * nq..][..nq], &v, &tau[i * nv..][..nv]).unwrap();
        close(&held.qdd[i * nv..][..nv], &motion.qdd, 1e-7);
        close(&held.lambda[i * 6..][..6], &motion.lambda, 1e-7);
    }
    let records = batch.rollout(&RolloutOptions::new().steps(4).every(2), &q, &v, &tau, None).unwrap();
    let (mut q3, mut v3) = (q[3 * nq..][..nq].to_vec(), v.clone());
    for _ in 0..4 {
        let tau = &tau[3 * nv..][..nv];
        work.step(&mut q3, &mut v3, tau, 0.001, Integrator::SemiImplicitEuler, &Default::default()).unwrap();
    }
    close(&records.q[7 * nq..][..nq], &q3, 1e-7);
    close(&records.v[7 * nv..][..nv], &v3, 1e-7);

    q[4 * nq] = f64::NAN;
    let mut kept = free.clone();
    fails(batch.forward_dynamics_into(states, &q, &v, &tau, None, &mut kept), Status::NOT_FINITE, "4");
    assert_eq!(batch.status().filter(|&status| status == Status::OK).count(), states - 1);
    assert_eq!(kept, free);
    fails(batch.forward_dynamics(&q, &v[..3], &tau, None), Status::WRONG_SIZE, "v: 3 numbers");

    let mut single = Batch::<f32>::new(&robot, &Default::default()).unwrap();
    let short: Vec<f32> = q[..nq].iter().map(|&x| x as f32).collect();
    let light = single.forward_dynamics(&short, &vec![0.1; nv], &vec![1.0; nv], None).unwrap();
    close(&light.iter().map(|&x| f64::from(x)).collect::<Vec<_>>(), &free[..nv], 2e-2);
    let none = single.constrained_dynamics(&short, &vec![0.1; nv], &vec![1.0; nv]).unwrap();
    assert!(none.lambda.is_empty() && none.qdd.len() == nv);
}

#[test]
fn states_of_batches_hold_their_own_rows() {
    let robot = model("atlas", Base::Floating);
    let mut set = ConstraintSet::new(&robot).unwrap();
    set.add_weld("l_foot", None, &ConstraintOptions::new().frequency(10.0)).unwrap();
    let hand = ConstraintOptions::new().name("hand").frequency(5.0).damping_ratio(0.5);
    set.add_point("l_hand", None, &hand).unwrap();
    let set = set.finish().unwrap();
    let mut batch = Batch::<f64>::with_constraints(&set, &Default::default()).unwrap();
    let mut work = Workspace::with_constraints(&set, &Default::default()).unwrap();
    let (nq, nv) = (batch.nq(), batch.nv());
    let q: Vec<f64> = (0..3).flat_map(|seed| work.random(seed).unwrap()).collect();
    let (v, tau) = (vec![0.1; nv], vec![1.0; nv]);
    let solve = |batch: &mut Batch| batch.constrained_dynamics(&q, &v, &tau);
    let same = |a: &[f64], b: &[f64]| [0, 1, 2].map(|s| a[s * nv..][..nv] == b[s * nv..][..nv]);
    fails(solve(&mut batch), Status::INVALID_ARGUMENT, "no anchors");
    batch.anchor_here(3, &q).unwrap();
    assert_eq!(batch.status().count(), 3);
    let here = solve(&mut batch).unwrap();
    let mut poses = batch.anchors(3).unwrap();
    for s in 0..3 {
        let q = &q[s * nq..][..nq];
        work.anchor_here(q).unwrap();
        close(&here.qdd[s * nv..][..nv], &work.constrained_dynamics(q, &v, &tau).unwrap().qdd, 1e-7);
        work.kinematics(q, None, None).unwrap();
        close(&poses[14 * s + 7..][..3], &work.link_pose("l_hand").unwrap()[..3], 1e-9);
    }
    batch.set_anchors(3, &poses).unwrap();
    let before = solve(&mut batch).unwrap();
    poses[14 + 7 + 2] += 0.1; // of state 1, constraint 1
    batch.set_anchors(3, &poses).unwrap();
    close(&batch.anchors(3).unwrap(), &poses, 1e-9);
    let lifted = solve(&mut batch).unwrap();
    assert_eq!(same(&lifted.qdd, &before.qdd), [true, false, true]);
    batch.set_active(3, &[1.0, 1.0, 1.0, 1.0, 0.0, 1.0]).unwrap();
    let let_go = solve(&mut batch).unwrap();
    assert_eq!(same(&let_go.qdd, &lifted.qdd), [true, true, false]);
    assert!(let_go.lambda[2 * 9 + 5] == 0.0 && let_go.lambda[2 * 9 + 6] != 0.0 && let_go.lambda[9 + 5] != 0.0);
    batch.set_active(1, &[1.0, 1.0]).unwrap();
    batch.set_gains(1, &[10.0, 5.0], &[1.0, 0.5]).unwrap(); // as they were
    assert_eq!(solve(&mut batch).unwrap().qdd, lifted.qdd);
    batch.set_gains(3, &[10.0, 5.0, 10.0, 5.0, 10.0, 9.0], &[1.0, 0.5]).unwrap();
    assert_eq!(same(&solve(&mut batch).unwrap().qdd, &lifted.qdd), [true, true, false]);
    let one = batch.constrained_dynamics(&q[..nq], &v, &tau);
    fails(one, Status::WRONG_SIZE, "those of 3 states");
    batch.set_anchor("hand", &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let fixed = batch.anchors(3).unwrap();
    assert_eq!((fixed[7], fixed[14 + 8], fixed[28 + 9]), (1.0, 2.0, 3.0));
    fails(batch.set_anchor("foot", &[0.0; 7]), Status::NOT_FOUND, "foot");
    fails(batch.set_anchor(1, &[0.0; 6]), Status::WRONG_SIZE, "pose");
    fails(batch.set_anchors(1, &[0.0; 13]), Status::WRONG_SIZE, "poses: 13 numbers; 1 times 14");
    fails(batch.set_active(2, &[1.0; 3]), Status::WRONG_SIZE, "active: 3 numbers; 2 times 2");
    fails(batch.set_gains(2, &[0.0; 4], &[0.0; 6]), Status::WRONG_SIZE, "damping_ratios: 6 numbers");
    fails(batch.anchors(usize::MAX / 14 + 1), Status::OUT_OF_MEMORY, "x 7 x 2 numbers");
    fails(batch.anchors(2), Status::WRONG_SIZE, "3 states");
}

#[test]
fn sizes_that_no_memory_has_are_errors() {
    let mut batch = Batch::<f64>::new(&model("iiwa14", Base::Fixed), &Default::default()).unwrap();
    let one = [0.0; 7];
    // 7 times the first is 5, modulo 2^64; the last could be counted, but not allocated.
    for steps in [2635249153387078803, usize::MAX / 7, usize::MAX / 56 + 1, usize::MAX, 1 << 56] {
        let options = RolloutOptions::new().steps(steps);
        fails(batch.rollout(&options, &one, &one, &one, None), Status::OUT_OF_MEMORY, "1 x ");
    }
    assert!(std::panic::catch_unwind(|| Matrix::zeros(1 << 32, 1 << 32)).is_err());
}

#[test]
fn no_state_is_no_error() {
    let mut batch = Batch::<f64>::new(&model("iiwa14", Base::Fixed), &Default::default()).unwrap();
    assert!(batch.forward_dynamics(&[], &[], &[0.0; 7], None).unwrap().is_empty() && batch.status().count() == 0);
    assert!(batch.rollout(&RolloutOptions::new(), &[], &[], &[], None).unwrap().q.is_empty());
}

#[test]
fn robots_without_joints_have_one_state() {
    let stone = Model::parse("<robot name='stone'><link name='a'/></robot>", &ModelOptions::new()).unwrap();
    let mut batch = Batch::<f64>::new(&stone, &Default::default()).unwrap();
    assert!(batch.forward_dynamics(&[], &[], &[], None).unwrap().is_empty());
    assert!(batch.inverse_dynamics(&[], &[], &[], Some(&[0.0; 6])).unwrap().is_empty());
    assert!(batch.rollout(&RolloutOptions::new().steps(3), &[], &[], &[], None).unwrap().q.is_empty());
    assert_eq!(batch.status().collect::<Vec<_>>(), [Status::OK]);
    fails(batch.forward_dynamics(&[1.0], &[], &[], None), Status::WRONG_SIZE, "q: 1 numbers");
}

#[test]
fn threads_share_models_and_move_workspaces() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    fn moved<T: Send>(value: T) -> T {
        value
    }
    let robot = model("iiwa14", Base::Fixed);
    shared(&robot);
    shared(&ConstraintSet::new(&robot).unwrap().finish().unwrap());
    moved(Batch::<f64>::new(&robot, &Default::default()).unwrap());
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let mut work = moved(Workspace::new(&robot, &Default::default()).unwrap());
            std::thread::spawn(move || {
                let q = work.random(2).unwrap();
                work.bias(&q, &[1.0; 7], None).unwrap()
            })
        })
        .collect();
    let results: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(results[0], results[1]);
}

// ---- builders: robots from calls are those of the same figures in models/*.urdf

fn place(x: f64, y: f64, z: f64) -> [f64; 7] {
    [x, y, z, 0.0, 0.0, 0.0, 1.0]
}

#[track_caller]
fn same_robot(built: &Model, name: &str) {
    let there = model(name, Base::Fixed);
    assert_eq!(built.describe().unwrap(), there.describe().unwrap());
    assert_eq!((built.nq(), built.ny(), built.joints()), (there.nq(), there.ny(), there.joints()));
    let mut works = [built, &there].map(|robot| Workspace::new(robot, &Default::default()).unwrap());
    let mut q = vec![0.0; there.nq()];
    works[1].guess_into(&mut q).unwrap();
    let tau = counted(there.nv(), 0.5, 0.25);
    let rest = vec![0.0; there.nv()];
    // The loops hold: what moves, and how, depends on both their ends.
    let turns = works.iter_mut().map(|work| {
        let motion = work.forward_dynamics(&q, &rest, &tau, None).unwrap();
        plus(&motion, &work.gravity_force(&q).unwrap())
    });
    let turns = turns.collect::<Vec<_>>();
    close(&turns[0], &turns[1], 1e-9);
}

fn linkage(second_end: f64) -> Result<Builder> {
    let mut robot = Builder::new("six_bar")?;
    let joint = JointOptions::new().kind(JointType::Continuous).axis([0.0, 0.0, 1.0]);
    let between = |from, to| joint.clone().parent_link(from).child_link(to);
    assert_eq!(robot.add_link("base_link", 0.0, None, None)?, 0);
    for number in 1..=5 {
        let inertia = [0.011253, 0.0, 0.0, 0.036203, 0.0, 0.042673];
        assert_eq!(robot.add_link(&format!("link{number}"), 3.3, None, Some(&inertia))?, number);
    }
    robot.add_joint("joint1", &between(0, 1))?;
    robot.add_joint("joint2", &between(1, robot.link_index("link2")?).origin(place(0.1, 0.0, 0.0)))?;
    robot.add_joint("joint3", &between(2, 3).origin(place(0.2, 0.0, 0.0)))?;
    robot.add_joint("joint4", &between(0, 4).dependent(true))?;
    robot.add_joint("joint5", &between(4, 5).origin(place(0.4, 0.0, 0.0)).dependent(true))?;
    let ends = LoopOptions::new().pose(place(0.3, 0.0, 0.0)).second_pose(place(second_end, 0.0, 0.0));
    robot.add_loop("constraint1", &ends.link(3).second_link(5).axis([0.0, 0.0, 1.0]))?;
    Ok(robot)
}

#[test]
fn built_robots_are_those_of_urdf() {
    let robot = linkage(0.5).unwrap().finish(&ModelOptions::new()).unwrap();
    same_robot(&robot, "six_bar");
    let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../models/double_pendulum.urdf");
    let mut more = Builder::load(urdf, &ModelOptions::new()).unwrap();
    same_robot(&more.finish(&ModelOptions::new()).unwrap(), "double_pendulum");
    same_robot(
        &Builder::parse(std::fs::read(urdf).unwrap(), &ModelOptions::new()).unwrap().finish(&ModelOptions::new()).unwrap(),
        "double_pendulum",
    );
    let free = more.finish(&ModelOptions::new()).unwrap();
    more.add_frame("beyond", free.links().last().unwrap(), Some(&place(0.0, 0.0, 1.0))).unwrap();
    let joints = free.joints();
    more.add_coupling("c", &[&joints[1]], &[&joints[0]], MatrixRef::new(&[2.0], 1, 1, 1), Some(&[0.1])).unwrap();
    let tied = more.finish(&ModelOptions::new()).unwrap();
    assert!(tied.links().contains(&"beyond".to_string()) && (free.ny(), tied.ny()) == (2, 1));
    let work = Workspace::new(&tied, &Default::default()).unwrap();
    assert_eq!(work.nv(), 2);
}

#[test]
fn builders_name_what_is_wrong() {
    let mut robot = linkage(0.5).unwrap();
    fails(robot.link_index("link9"), Status::NOT_FOUND, "did you mean");
    let again = JointOptions::new().parent_link(0).child_link(1);
    fails(robot.add_joint("joint1", &again), Status::INVALID_ARGUMENT, "joint1");
    fails(robot.add_gear("g", "link1", 77, 2.0, 0.0), Status::OUT_OF_RANGE, "77");
    fails(robot.add_frame("f", "link1", Some(&[0.0; 7])), Status::NOT_NORMALIZED, "f");
    robot.add_link("alone", 1.0, None, Some(&[1.0, 0.0, 0.0, 1.0, 0.0, 1.0])).unwrap();
    fails(robot.finish(&ModelOptions::new()), Status::INVALID_MODEL, "alone");
    let mut tight = linkage(0.5).unwrap();
    tight.add_gear("g", "link1", "link4", 2.0, 0.0).unwrap();
    assert!(tight.finish(&ModelOptions::new()).map_or(true, |robot| robot.ny() < 3));
}
