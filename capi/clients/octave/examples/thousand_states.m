## A thousand states of Atlas on both feet in one call, then some of them 50 ms on: octave-cli thousand_states.m
## models/atlas.urdf
robot = tenon.Model(argv(){1}, struct("base", "floating"));
feet = tenon.Constraints(robot);
feet.add_weld("l_foot");
feet.add_weld("r_foot");
batch = tenon.Batch(robot, feet, struct("threads", 2));
work = tenon.Workspace(robot, feet);

states = 1000;
q = zeros(batch.nq, states);
for seed = 0:states - 1
  q(:, seed + 1) = work.random(seed);
endfor
zero = work.zeros();  # velocities and torques, the same for all
[qdd, lambda] = batch.constrained_dynamics(q, zero, zero);
printf("%d states of %s: nq %d, nv %d, %d rows\n", states, robot.name, batch.nq, batch.nv, batch.m);
printf("the left foot of state 7 is pushed up by %.1f N\n", lambda(6, 8));

single = work.constrained_dynamics(q(:, 8), zero, zero);
answer = {"false", "true"}{1 + (max(abs(single - qdd(:, 8))) <= 1e-8 * max(abs(single)))};
printf("agrees with a single call: %s\n", answer);

[~, v] = batch.rollout(q(:, 1:16), zero, zero, struct("dt", 0.001, "steps", 50, "every", 50));
printf("after 50 ms the fastest joint of 16 states turns at %.1f rad/s\n", max(abs(v(:))));
