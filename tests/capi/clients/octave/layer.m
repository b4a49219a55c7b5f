## What the classes of Octave hand to the library and back, against identities that the calls under test do not compute
## themselves: layer.m models.
1;

function check(good, what)
  global checks failures
  checks += 1;
  if ! good
    failures += 1;
    printf("failed: %s\n", what);
  endif
endfunction

function near(a, b, tolerance, what)
  check(isequal(size(a), size(b)) && all(abs(a(:) - b(:)) <= tolerance * (1 + abs(b(:)))), what);
endfunction

## The call fails with this status, and the words are in its message.
function fails(status, words, call, varargin)
  try
    call(varargin{:});
    check(false, ["nothing failed: " words]);
  catch fault
    good = strcmp(fault.identifier, ["Tenon:" status]) && ! isempty(strfind(fault.message, words));
    check(good, [fault.identifier " " fault.message]);
  end_try_catch
endfunction

function robot = load_robot(name, varargin)
  global folder
  robot = tenon.Model([folder "/" name ".urdf"], varargin{:});
endfunction

function x = counted(n, first, step)
  x = first + step * (0:n - 1)';
endfunction

function models()
  global folder
  robot = load_robot("iiwa14");
  check(strcmp(robot.name, "iiwa14") && robot.nq == 7 && robot.nv == 7 && ! robot.floating_base, "iiwa14");
  check(strcmp(robot.links{robot.link_number("iiwa_link_7")}, "iiwa_link_7"), "links");
  joint = robot.joint("iiwa_joint_3");
  check(strcmp(joint.type, "revolute") && joint.q_index == 3 && joint.v_index == 3, "joint");
  check(strcmp(robot.joint(3).name, "iiwa_joint_3"), "joint 3");
  check(strcmp(robot.links{joint.child_link}, "iiwa_link_3") && robot.link(1).parent_link == 0, "tree");
  mass = 0;
  for i = 1:robot.link_count
    mass += robot.link(i).mass;
  endfor
  near(mass, robot.total_mass, 1e-10, "masses");
  check(! isempty(strfind(robot.describe(), "iiwa_joint_7")) && isempty(robot.warnings), "describe");
  fails("not_found", "did you mean", @() robot.link("iiwa_link_8"));
  fails("out_of_range", "there is no joint", @() robot.joint(99));
  fails("out_of_range", "there is no link 0; they count from 1", @() robot.link(0));
  fails("file_error", "none.urdf", @() tenon.Model("none.urdf"));
  fails("parse_error", "parse_error: ", @() tenon.Model.parse("<robot"));
  text = fileread([folder "/iiwa14.urdf"]);
  bad = strrep(text, '<child link="iiwa_link_4"', '<child link="gone"');
  fails("invalid_model", "gone", @() tenon.Model.parse(bad));
  fails("not_found", "no 'flying'", @() load_robot("iiwa14", struct("base", "flying")));
  fails("not_found", "no option 'bas'; there are: base ", @() load_robot("iiwa14", struct("bas", "fixed")));
  fails("wrong_size", "gravity: 2 numbers; 3", @() load_robot("iiwa14", struct("gravity", [1 2])));
  free = struct("base", "floating", "floating_joint_name", "free", "gravity", [0 0 -1]);
  floating = tenon.Model.parse(text, free);
  check(strcmp(floating.joints{1}, "free") && floating.nv == 13, "options");
  work = tenon.Workspace(floating);
  qdd = work.forward_dynamics(work.neutral(), work.zeros(), work.zeros());
  near(qdd(1:6), [0; 0; 0; 0; 0; -1], 1e-10, "falls");
  work.set_gravity([0 0 -2]);
  qdd = work.forward_dynamics(work.neutral(), work.zeros(), work.zeros());
  near(qdd(6), -2, 1e-10, "falls faster");
endfunction

function dynamics()
  robot = load_robot("atlas", struct("base", "floating"));
  work = tenon.Workspace(robot);
  q = work.random(3);
  v = counted(work.nv, -0.2, 0.01);
  tau = counted(work.nv, 5, -0.3);
  qdd = work.forward_dynamics(q, v, tau);
  M = work.mass_matrix(q);
  near(M * qdd + work.bias(q, v), tau, 1e-8, "M qdd + c = tau");
  near(work.inverse_dynamics(q, v, qdd), tau, 1e-8, "inverse dynamics");
  hand = robot.link_number("l_hand");
  wrenches = zeros(6, robot.link_count);
  wrenches(4, hand) = -10;
  work.kinematics(q, v);
  J = work.jacobian(hand, "link");
  near(J * v, work.link_velocity("l_hand", "link"), 1e-10, "J v");
  near(work.inverse_dynamics(q, v, qdd, wrenches), tau + 10 * J(4, :)', 1e-8, "wrenches");
  near(work.difference(q, work.integrate(q, v, 0.01)), 0.01 * v, 1e-10, "difference");
  [kinetic, potential] = work.energy();
  near(kinetic, v' * M * v / 2, 1e-9, "kinetic energy");
  check(isfinite(potential), "potential energy");

  ## What does not fit is refused before the call: the last status stays.
  fails("wrong_size", "q: 3 numbers; 37 are needed", @() work.forward_dynamics(q(1:3), v, tau));
  fails("wrong_size", "tau: 35 numbers; 36 are needed", @() work.forward_dynamics(q, v, tau(1:35)));
  fails("wrong_size", "wrenches: 5 numbers", @() work.forward_dynamics(q, v, tau, 1:5));
  fails("invalid_argument", "q: real numbers", @() work.forward_dynamics(single(q), v, tau));
  fails("invalid_argument", "v: real numbers", @() work.forward_dynamics(q, complex(v, 1), tau));
  fails("invalid_argument", "q: real numbers", @() work.forward_dynamics("text", v, tau));
  check(strcmp(work.status(), "ok"), "nothing was called");
  q(6) = NaN;
  fails("not_finite", "q", @() work.forward_dynamics(q, v, tau));
  check(strcmp(work.status(), "not_finite"), "status");
  fails("out_of_range", "link", @() work.link_pose(1000));
endfunction

function constraints()
  robot = load_robot("atlas", struct("base", "floating"));
  set = tenon.Constraints(robot);
  set.add_weld("l_foot");
  check(set.add_point("l_hand", [0.1 0 0], struct("name", "hand", "weights", [1 1 2])) == 2, "number");
  K = zeros(2, 6);
  K(1, 4) = K(2, 2) = 1;
  set.add_rows("r_foot", K);
  fails("wrong_size", "6 columns are needed", @() set.add_rows("r_foot", K'));
  fails("wrong_size", "point: 1 numbers; 3 are needed", @() set.add_point("l_hand", 0.1));
  fails("wrong_size", "weights", @() set.add_weld("l_hand", [], struct("weights", [1 2])));
  check(set.count() == 3 && set.row_count() == 11, "rows");
  fails("invalid_argument", "finish", @() set.add_weld(1));
  work = tenon.Workspace(robot, set);
  free = tenon.Workspace(robot);
  q = work.random(5);
  v = counted(work.nv, 0.1, -0.01);
  tau = counted(work.nv, -3, 0.2);
  [qdd, lambda] = work.constrained_dynamics(q, v, tau);
  check(strcmp(work.status(), "ok") && work.report().primal_residual < 1e-6 && work.m == 11, "report");
  [J, rhs] = work.constraint_rows(q, v);
  near(J * qdd, rhs, 1e-7, "J qdd = rhs");
  near(work.mass_matrix(q) * qdd + work.bias(q, v), tau + J' * lambda, 1e-7, "equation of motion");
  near(work.constrained_inverse_dynamics(q, v, qdd, lambda), tau, 1e-7, "inverse");
  desired = counted(11, -0.5, 0.1);
  near(J * work.constrained_dynamics(q, v, tau, [], desired), rhs + desired, 1e-7, "desired");
  wrenches = zeros(6, robot.link_count);
  wrenches(4, robot.link_number("r_hand")) = 50;
  work.kinematics(q, v);
  push = 50 * work.jacobian("r_hand", "link")(4, :)';
  near(work.constrained_dynamics(q, v, tau, wrenches), work.constrained_dynamics(q, v, tau + push), 1e-7, "wrenches, held");
  near(work.constrained_dynamics(q, v, tau, [], [], struct("method", "dense")), qdd, 1e-6, "dense");
  check(strcmp(work.report().method, "dense"), "method");
  ## A column of the Delassus matrix by forward dynamics from rest.
  answer = free.forward_dynamics(q, 0 * v, free.bias(q, 0 * v) + J(5, :)');
  A = work.delassus(q, "pv_osimr");
  near(A(:, 5), J * answer, 1e-7, "Delassus matrix");
  [next, speed] = work.step(q, v, tau, 0.001);
  near(work.difference(q, next), 0.001 * speed, 1e-9, "step");
  fails("not_found", "no 'euler'", @() work.step(q, v, tau, 0.001, "euler"));
  work.set_active(2, false);
  check(max(abs(work.constrained_dynamics(q, v, tau) - qdd)) > 1e-3, "active");
endfunction

function batches()
  robot = load_robot("atlas", struct("base", "floating"));
  set = tenon.Constraints(robot);
  set.add_weld("l_foot");
  batch = tenon.Batch(robot, set);
  work = tenon.Workspace(robot, set);
  states = 9;
  q = zeros(batch.nq, states);
  for s = 1:states
    q(:, s) = work.random(s);
  endfor
  v = 0.1 * ones(batch.nv, 1);
  tau = ones(batch.nv, states);
  tau(9, 4) = 20;
  free = batch.forward_dynamics(q, v, tau);
  near(batch.inverse_dynamics(q, v, free), tau, 1e-7, "inverse dynamics of a batch");
  [held, forces] = batch.constrained_dynamics(q, v, tau);
  for s = 1:states
    [qdd, lambda] = work.constrained_dynamics(q(:, s), v, tau(:, s));
    near(held(:, s), qdd, 1e-7, "a state");
    near(forces(:, s), lambda, 1e-7, "forces of a state");
  endfor
  how = struct("steps", 4, "every", 2, "dt", 0.002);
  [q_out, v_out] = batch.rollout(q, v, tau, how, struct("method", "dense"));
  [q3, v3] = deal(q(:, 4), v);
  for i = 1:4
    [q3, v3] = work.step(q3, v3, tau(:, 4), 0.002);
  endfor
  check(isequal(size(q_out), [37 2 9]), "records");
  near(q_out(:, 2, 4), q3, 1e-7, "positions of a rollout");
  near(v_out(:, 2, 4), v3, 1e-7, "velocities of a rollout");
  q(1, 5) = NaN;
  fails("not_finite", "4", @() batch.forward_dynamics(q, v, tau));
  [qdd, status] = batch.forward_dynamics(q, v, tau);
  check(all(isnan(qdd(:, 5))) && status(5) == -3 && status(6) == 0, "status");
  near(qdd(:, 6), free(:, 6), 0, "the others");
  fails("wrong_size", "v: 35 x 1; 36 x 9 are needed", @() batch.forward_dynamics(q, v(1:35), tau));
  fails("wrong_size", "tau: 36 x 7; 36 x 9 are needed", @() batch.forward_dynamics(q, v, tau(:, 1:7)));
  fails("wrong_size", "q: 38 x 1; 37 x 1 are needed", @() batch.forward_dynamics(zeros(38, 1), v, v));
  none = tenon.Batch(robot);
  [~, lambda] = none.constrained_dynamics(q(:, 1), v, tau(:, 1));
  check(isempty(lambda), "no rows");
endfunction

## The numbers of the states in which a and b differ.
function states = changed(a, b)
  states = find(any(a != b, 1));
endfunction

function anchors()
  robot = load_robot("atlas", struct("base", "floating"));
  set = tenon.Constraints(robot);
  set.add_weld("l_foot", [], struct("frequency", 10));
  hand = set.add_point("l_hand", [], struct("frequency", 5, "damping_ratio", 0.5));
  batch = tenon.Batch(robot, set);
  work = tenon.Workspace(robot, set);
  q = [work.random(1), work.random(2), work.random(3)];
  v = 0.1 * ones(batch.nv, 1);
  tau = ones(batch.nv, 1);
  fails("invalid_argument", "no anchors", @() batch.constrained_dynamics(q, v, tau));
  batch.set_anchors(repmat([0; 0; 0; 0; 0; 0; 1], [1 2]));  # those of a new workspace
  far = batch.constrained_dynamics(q, v, tau);
  check(isequal(batch.anchor_here(q), zeros(1, 3, "int32")), "statuses");
  here = batch.constrained_dynamics(q, v, tau);
  poses = batch.anchors(3);
  check(isequal(size(poses), [7 2 3]) && isequal(changed(here, far), 1:3), "anchors");
  for s = 1:3
    near(far(:, s), work.constrained_dynamics(q(:, s), v, tau), 1e-7, "anchors of a state");
    work.kinematics(q(:, s));
    near(poses(1:3, hand, s), work.link_pose("l_hand")(1:3), 1e-9, "the hand of a state");
  endfor
  batch.set_anchors(poses);
  before = batch.constrained_dynamics(q, v, tau);
  poses(3, hand, 2) += 0.1;
  batch.set_anchors(poses);
  near(batch.anchors(3), poses, 1e-9, "anchors");
  lifted = batch.constrained_dynamics(q, v, tau);
  check(isequal(changed(lifted, before), 2), "the anchor of one state");
  active = true(2, 3);
  active(1, 3) = false;
  batch.set_active(active);
  [let_go, forces] = batch.constrained_dynamics(q, v, tau);
  check(isequal(changed(let_go, lifted), 3), "the activity of one state");
  check(all(forces(1:6, 3) == 0) && forces(7, 3) != 0 && forces(6, 2) != 0, "forces of what is let go");
  batch.set_active([1; 1]);
  batch.set_gains([10; 5], [1; 0.5]);  # as they were
  check(isempty(changed(batch.constrained_dynamics(q, v, tau), lifted)), "the same gains");
  batch.set_gains([10 10 10; 5 5 9], [1; 0.5]);
  check(isequal(changed(batch.constrained_dynamics(q, v, tau), lifted), 3), "gains of one state");
  batch.set_gains([10; 5], [1; 1]);
  damped = batch.constrained_dynamics(q, v, tau);
  check(isequal(changed(damped, lifted), 1:3), "damping of all states");
  batch.set_gains([10; 5]);
  check(isempty(changed(batch.constrained_dynamics(q, v, tau), damped)), "damping of 1");
  fails("wrong_size", "those of 3 states", @() batch.constrained_dynamics(q(:, 1), v, tau));
  batch.set_anchor(hand, [1 2 3 0 0 0 1]);
  fixed = batch.anchors(3);
  check(all(fixed(1, hand, :) == 1) && all(fixed(3, hand, :) == 3), "an anchor of all states");
  near(fixed(:, 1, :), poses(:, 1, :), 1e-9, "the other anchor");
  fails("out_of_range", "constraint", @() batch.set_anchor(3, [1 2 3 0 0 0 1]));
  fails("wrong_size", "pose: 6 numbers; 7 are needed", @() batch.set_anchor(hand, 1:6));
  fails("wrong_size", "poses: 7 x 2 x states are needed", @() batch.set_anchors(zeros(7, 3)));
  fails("wrong_size", "poses: 7 x 2 x states are needed", @() batch.set_anchors(zeros(14, 3)));
  fails("invalid_argument", "poses: real numbers", @() batch.set_anchors(single(poses)));
  fails("wrong_size", "active: 1 x 3; 2 x 3 are needed", @() batch.set_active([1 1 1]));
  fails("wrong_size", "damping_ratios: 2 x 2; 2 x 3", @() batch.set_gains(zeros(2, 3), zeros(2, 2)));
  fails("out_of_memory", "numbers are more than any memory has", @() batch.anchors(2 ^ 60));
  for states = [-1, 0.5, NaN, Inf]
    fails("invalid_argument", "states: a whole number, 0 or more, is needed", @() batch.anchors(states));
  endfor
  fails("wrong_size", "3 states", @() batch.anchors(2));
  q(5, 2) = NaN;
  fails("not_finite", "state 1", @() batch.anchor_here(q));
  check(isequal(batch.anchor_here(q) < 0, [false true false]), "a state that fails");
  near(batch.anchors(3), fixed, 0, "no anchor changed");
endfunction

function limits()
  batch = tenon.Batch(load_robot("iiwa14"));
  one = zeros(7, 1);
  for steps = [2 ^ 61 + 2 ^ 9, floor(2 ^ 63 / 56) + 2 ^ 10]
    fails("out_of_memory", "numbers are more than any memory has", ...
          @() batch.rollout(one, one, one, struct("steps", steps)));
  endfor
  for steps = [-1, 0.5, NaN, Inf, 2 ^ 64]
    fails("invalid_argument", "steps: a whole number, 0 or more, is needed", ...
          @() batch.rollout(one, one, one, struct("steps", steps)));
  endfor
  for threads = [3e9, -3e9, 1.5, NaN]
    fails("invalid_argument", "threads: a whole number of 32 bits is needed", ...
          @() tenon.Batch(batch.model, [], struct("threads", threads)));
  endfor
  none = zeros(7, 0);
  [qdd, status] = batch.forward_dynamics(none, none, one);
  check(isequal(size(qdd), [7 0]) && isempty(status), "no state");
  check(isempty(batch.rollout(none, none, none, struct("steps", 3))), "a rollout without states");
  still = tenon.Batch(tenon.Model.parse("<robot name='stone'><link name='a'/></robot>"));
  for states = [1 3]
    nothing = zeros(0, states);
    [qdd, status] = still.forward_dynamics(nothing, nothing, nothing);
    check(isequal(size(qdd), [0 states]) && isequal(status, zeros(1, states, "int32")), "no joints");
    check(isempty(still.inverse_dynamics(nothing, nothing, nothing, zeros(6, states))), "wrenches without joints");
    check(isempty(still.constrained_dynamics(nothing, nothing, nothing)), "constraints without joints");
    q_out = still.rollout(nothing, nothing, nothing, struct("steps", 3));
    check(size(q_out, 1) == 0 && size(q_out, 2) == 3 && size(q_out, 3) == states, "a rollout without joints");
  endfor
endfunction

function bytes = memory()
  pages = sscanf(fileread("/proc/self/statm"), "%d");
  bytes = 4096 * pages(2);
endfunction

function forgotten(count)
  for i = 1:count
    work = tenon.Workspace(load_robot("iiwa14"));
  endfor
endfunction

function freed()
  robot = load_robot("atlas");
  set = tenon.Constraints(robot);
  work = tenon.Workspace(robot, set);
  batch = tenon.Batch(robot);
  delete(robot);
  delete(robot);
  fails("invalid_argument", "this Model was deleted", @() robot.describe());
  fails("invalid_argument", "this Model was deleted", @() tenon.Workspace(robot));
  check(numel(work.neutral()) == work.nq, "what was made from it stays good");
  delete(set);
  fails("invalid_argument", "this Constraints was deleted", @() set.count());
  delete(work);
  again = tenon.Workspace(load_robot("iiwa14"));  # may take its place
  fails("invalid_argument", "this Workspace was deleted", @() work.neutral());
  fails("invalid_argument", "this Workspace was deleted", @() tenon_mex("neutral", set.id));
  fails("invalid_argument", "this Workspace was deleted", @() tenon_mex("neutral", batch.id));
  fails("invalid_argument", "this Model was deleted", @() tenon_mex("describe", NaN));
  fails("invalid_argument", "this Model was deleted", @() tenon_mex("describe", 1e300));
  fails("not_found", "nothing_like_it", @() tenon_mex("nothing_like_it"));
  delete(batch);
  fails("invalid_argument", "this Batch was deleted", @() batch.forward_dynamics(zeros(30, 1), 0, 0));
  check(numel(again.neutral()) == 7, "another");
  forgotten(100);
  before = memory();
  forgotten(1000);
  check(memory() - before < 20 * 2 ^ 20, sprintf("1000 forgotten workspaces keep %d KiB", (memory() - before) / 1024));
endfunction

global checks = 0;
global failures = 0;
global folder = argv(){1};
models();
dynamics();
constraints();
batches();
anchors();
limits();
freed();
printf("%d checks, %d failed\n", checks, failures);
exit(failures > 0);
