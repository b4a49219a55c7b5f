//! Views of matrices and states in larger memory, options, functions that the library calls, coordinates of loops.

mod common;
use common::*;
use tenon::*;

#[test]
fn matrices_may_lie_in_larger_ones() {
    let mut work = Workspace::new(&model("iiwa14", Base::Fixed), &Default::default()).unwrap();
    let q = work.random(3).unwrap();
    let mass = work.mass_matrix(&q).unwrap();
    let mut large = vec![f64::NAN; 10 * 7 - 3];
    work.mass_matrix_into(&q, MatrixMut::new(&mut large, 7, 7, 10)).unwrap();
    for j in 0..7 {
        assert_eq!(&large[10 * j..][..7], mass.column(j));
        assert!(large[10 * j + 7..].iter().take(3).all(|x| x.is_nan()));
    }
    work.mass_matrix_factor(&q).unwrap();
    let (unit, mut inverse) = (Matrix { rows: 7, columns: 1, data: counted(7, 0.0, 0.5) }, vec![0.0; 7]);
    work.mass_matrix_solve_into(&unit, MatrixMut::new(&mut inverse, 7, 1, 7)).unwrap();
    close(&times(&mass, &inverse), &unit.data, 1e-9);
    fails(work.mass_matrix_into(&q, MatrixMut::new(&mut large[1..], 7, 7, 10)), Status::WRONG_SIZE, "M");
    fails(work.mass_matrix_into(&q, MatrixMut::new(&mut large, 7, 6, 7)), Status::WRONG_SIZE, "7 x 6 numbers; 7 x 7");
    fails(work.mass_matrix_into(&q, MatrixMut::new(&mut large, 7, 7, 6)), Status::WRONG_SIZE, "M");
    fails(work.mass_matrix_into(&q, MatrixMut::new(&mut large, 7, 7, usize::MAX)), Status::OUT_OF_MEMORY, "");
}

#[test]
fn states_may_lie_apart() {
    let robot = model("iiwa14", Base::Fixed);
    let (mut batch, mut work) =
        (Batch::<f64>::new(&robot, &Default::default()).unwrap(), Workspace::new(&robot, &Default::default()).unwrap());
    let q: Vec<f64> = (0..3).flat_map(|seed| work.random(seed).unwrap()).collect();
    let (v, tau) = (counted(7, 0.1, 0.2), counted(21, 3.0, -0.5));
    let dense = batch.forward_dynamics(&q, &v, &tau, None).unwrap();
    // The numbers of one kind side by side, and the states backwards.
    let by_kind: Vec<f64> = (0..7).flat_map(|i| [q[i], q[7 + i], q[14 + i]]).collect();
    let strides = Strides { count: 7, first: 0, number: 3, state: 1, record: 0 };
    let mut qdd = vec![f64::NAN; 21];
    let backwards = Strides { first: 14, number: 1, state: -7, ..strides };
    let (kinds, out) = (States::strided(&by_kind, strides), StatesMut::strided(&mut qdd, backwards));
    batch.forward_dynamics_into(3, kinds, &v, &tau, None, out).unwrap();
    for s in 0..3 {
        close(&qdd[14 - 7 * s..][..7], &dense[7 * s..][..7], 1e-12);
    }
    let kept = qdd.clone();
    for wrong in [
        Strides { first: 13, ..backwards },
        Strides { state: isize::MIN, ..backwards },
        Strides { state: isize::MAX, first: 0, ..backwards },
        Strides { state: 0, ..backwards },
        Strides { count: 6, ..backwards },
    ] {
        let out = StatesMut::strided(&mut qdd, wrong);
        let error = batch.forward_dynamics_into(3, &q, &v, &tau, None, out).err().expect("an error");
        assert_eq!(error.status, Status::WRONG_SIZE, "{wrong:?}: {error}");
    }
    assert_eq!(qdd, kept);
    let mut steps = vec![0.0; 3 * 4 * 7];
    let options = RolloutOptions::new().steps(4).qdd_out(&mut steps);
    let ends = batch.rollout(&options, &q, &v, &tau, None).unwrap();
    assert_eq!(ends.q.len(), 3 * 4 * 7);
    drop(options);
    close(&steps[..7], &dense[..7], 1e-12); // the first step begins as the dynamics did
}

#[test]
fn options_have_the_defaults_of_the_library_and_all_fields() {
    let (solve, base) = (SolveOptions::new(), ModelOptions::new());
    assert_eq!((solve.method, solve.absolute_tolerance, solve.accelerate), (Method::Automatic, 1e-12, true));
    assert_eq!((base.gravity, base.log_level), ([0.0, 0.0, -9.81], LogLevel::Warning));
    assert_eq!(base.loop_treatment, LoopTreatment::Embed);
    assert!(JointOptions::new().pitch.is_nan() && JointOptions::new().parent_link == NONE);
    assert_eq!(format!("{} {:?} {:?}", Method::Dense, Method(77), Rows::Angular | Rows(8)), "dense unknown 0xf");
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = told.clone();
    let log = move |level: LogLevel, text: &str| {
        kept.lock().unwrap().push((level, text.to_string()));
        panic!("ends here");
    };
    let options = ModelOptions::new().log_level(LogLevel::Trace).log_callback(log);
    Model::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../models/iiwa14.urdf"), &options).unwrap();
    assert!(!told.lock().unwrap().is_empty());
}

#[test]
fn functions_tie_joints_as_couplings_do() {
    let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../models/double_pendulum.urdf");
    let [mut tied, mut coupled] = [(), ()].map(|_| Builder::load(urdf, &ModelOptions::new()).unwrap());
    let joints = tied.finish(&ModelOptions::new()).unwrap().joints();
    let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let (counter, (a, b)) = (calls.clone(), (joints[0].as_str(), joints[1].as_str()));
    tied.add_implicit("tie", &[a, b], 1, move |q, _, phi, mut k, kdot_v| {
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert!(q[0] < 50.0, "far away");
        (phi[0], kdot_v[0]) = (q[1] - 2.0 * q[0] - 0.1, 0.0);
        (*k.at(0, 0), *k.at(0, 1)) = (-2.0, 1.0);
        if q[0] > 20.0 { Err(Status::UNSUPPORTED) } else { Ok(()) }
    })
    .unwrap();
    coupled.add_coupling("tie", &[b], &[a], MatrixRef::new(&[2.0], 1, 1, 1), Some(&[0.1])).unwrap();
    let [tied_robot, coupled_robot] = [&tied, &coupled].map(|builder| builder.finish(&ModelOptions::new()).unwrap());
    let options = BatchOptions::new().threads(2);
    let mut batches = [&tied_robot, &coupled_robot].map(|robot| Batch::<f64>::new(robot, &options).unwrap());
    let states = 40;
    let q: Vec<f64> = (0..states).flat_map(|s| [0.05 * s as f64 - 1.0, 0.1 * s as f64 - 1.9]).collect();
    let (v, tau) = ([0.3, 0.6], [0.5, -0.25]);
    let [first, second] = [0, 1].map(|i| batches[i].forward_dynamics(&q, &v, &tau, None).unwrap());
    close(&first, &second, 1e-9);
    let mut work = Workspace::new(&tied_robot, &Default::default()).unwrap();
    fails(work.forward_dynamics(&[30.0, 60.1], &v, &tau, None), Status::UNSUPPORTED, "tie");
    fails(work.forward_dynamics(&[60.0, 120.1], &v, &tau, None), Status::INVALID_ARGUMENT, "tie");
    // The function lives as long as anything that may call it.
    drop((tied, tied_robot, batches));
    let before = calls.load(std::sync::atomic::Ordering::Relaxed);
    work.forward_dynamics(&[0.0, 0.1], &v, &tau, None).unwrap();
    assert!(calls.load(std::sync::atomic::Ordering::Relaxed) > before && std::sync::Arc::strong_count(&calls) == 2);
    drop(work);
    assert_eq!(std::sync::Arc::strong_count(&calls), 1);
}

#[test]
fn loops_have_coordinates_of_every_joint_and_independent_ones() {
    let robot = model("four_bar", Base::Fixed);
    let mut work = Workspace::new(&robot, &Default::default()).unwrap();
    let (nq, nv, ny, rows) = (robot.nq(), robot.nv(), robot.ny(), robot.loop_row_count());
    assert!(nv > ny && ny == 1 && robot.independent_v().unwrap().len() == ny);
    assert_eq!(robot.independent_q().unwrap().len(), robot.nyq());
    for coordinates in [Coordinates::Spanning, Coordinates::Independent] {
        work.set_coordinates(coordinates, coordinates).unwrap();
        let (q, v) = (work.guess().unwrap(), vec![0.0; nv]);
        assert_eq!(work.coordinates().unwrap(), (coordinates, coordinates));
        let y = work.independent_position(&q).unwrap();
        close(&work.spanning_position(&y, Some(&q)).unwrap(), &q, 1e-9);
        let speed = work.spanning_velocity(&q, &[2.0]).unwrap();
        close(&work.independent_velocity(&speed).unwrap(), &[2.0], 1e-12);
        let acceleration = work.spanning_acceleration(&q, &speed, &[3.0]).unwrap();
        let (map, still) = (work.loop_map(&q, Some(&speed)).unwrap(), work.loop_map(&q, None).unwrap());
        close(&plus(&times(&map.G, &[3.0]), &map.g), &acceleration, 1e-9);
        assert!((map.G.rows, map.G.columns, still.g.len()) == (nv, ny, 0) && still.G == map.G);
        let loops = work.loop_jacobian(&q, Some(&speed)).unwrap();
        assert_eq!((loops.K.rows, loops.K.columns, loops.k.len(), loops.phi.len()), (rows, nv, rows, rows));
        close(&times(&loops.K, &speed), &vec![0.0; rows], 1e-9);
        let force = work.independent_force(&q, &counted(nv, 1.0, 0.5)).unwrap();
        let alone = work.spanning_force(&force).unwrap();
        close(&work.independent_force(&q, &alone).unwrap(), &force, 1e-9);
        let ways = work.find_assemblies(&AssemblyOptions::new(), &q, 4).unwrap();
        assert!(ways.found >= 1 && ways.assemblies.len() == 4 * nq);
        assert!(work.check_loops(&q, Some(&v)).unwrap().position_gap < 1e-9);
        let own = work.neutral().unwrap();
        let own = if coordinates == Coordinates::Spanning { q.clone() } else { own };
        let there = work.convert_configuration(Convention::Pinocchio, Direction::ToOther, None, &own).unwrap();
        assert_eq!(there.len(), robot.convention_nq(Convention::Pinocchio));
        let back = work.convert_configuration(Convention::Pinocchio, Direction::FromOther, None, &there).unwrap();
        close(&back, &own, 1e-9);
        let rate = vec![0.5; work.nv()];
        let there = work.convert_velocity(Convention::Pinocchio, Direction::ToOther, None, &own, &rate).unwrap();
        close(&work.convert_velocity(Convention::Pinocchio, Direction::FromOther, None, &own, &there).unwrap(), &rate, 1e-9);
        let (mass, mut batch) = (work.mass_matrix(&own).unwrap(), Batch::<f64>::new(&robot, &Default::default()).unwrap());
        batch.set_coordinates(coordinates, coordinates).unwrap();
        assert_eq!((batch.nq(), batch.nv(), mass.rows), (work.nq(), work.nv(), work.nv()));
        close(&batch.mass_matrix(&own).unwrap(), &mass.data, 1e-9);
        assert_eq!(batch.mass_matrix_lower(&own).unwrap().len(), work.nv() * (work.nv() + 1) / 2);
        let motion = work.inverse_dynamics(&own, &rate, &rate, None).unwrap();
        close(&batch.inverse_dynamics(&own, &rate, &rate, None).unwrap(), &motion, 1e-9);
    }
}
