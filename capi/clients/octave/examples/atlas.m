## Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each number,
## so that programs in other languages can be compared to the last one: octave-cli atlas.m models/atlas.urdf
robot = tenon.Model(argv(){1}, struct("base", "floating"));
feet = tenon.Constraints(robot);
feet.add_weld("l_foot");
feet.add_weld("r_foot");
work = tenon.Workspace(robot, feet);

v = work.zeros();
tau = work.zeros();
i = 6:work.nv - 1;
v(i + 1) = 0.01 * i;
tau(i + 1) = 10.0 - 0.5 * i;
qdd = work.constrained_dynamics(work.random(1), v, tau);

printf("%s\n", work.status());
for i = 1:work.nv
  halves = typecast(qdd(i), "uint32");
  printf("qdd[%d] = %08x%08x\n", i - 1, halves(2), halves(1));
endfor
