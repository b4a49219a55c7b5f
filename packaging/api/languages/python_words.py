"""Python: what the classes of the package say of themselves."""

FREE = """What belongs to no object: names of constants, methods for loops, algorithms that can be recorded."""
# Of each class what it comes from, how to have another one, and what it is.
CLASSES = {
    "tenon_model": ("Handle", "threads share it, and other processes load it again",
"""A robot. Made by Model.load, Model.parse or a Builder; immutable, and any number of threads may read it.

name: of the robot. nq, nv: numbers of positions and velocities of all joints; nyq, ny: of those that are independent
where loops are closed. link_count: links with extra frames; joint_count: moving joints; body_count; depth: bodies on
the longest path; floating_base; total_mass: kg."""),
    "tenon_builder": ("Handle", "make another by the same calls",
"""A robot in the making: links first, then the joints between them, then what ties them into loops.

    arm = tenon.Builder("arm")
    arm.add_link("base")
    arm.add_link("boom", mass=2.0, center_of_mass=(0, 0, 0.5), inertia=(0.2, 0, 0, 0.2, 0, 0.01))
    arm.add_joint("swing", "base", "boom", axis=(0, 1, 0), origin=(0, 0, 1))
    robot = arm.finish(gravity=(0, 0, -9.81))

Links are named, or meant by the index that add_link returns. Poses are [x y z qx qy qz qw] (tenon.pose makes one of
roll, pitch and yaw), or a position alone; inertias 6 numbers, or 3 x 3. finish() checks the whole; the builder may go
on to further models."""),
    "tenon_constraints": ("Handle", "workspaces and batches of the same model share it",
"""What is held on the links of one model: points, welds, rows and closures.

Filled, then finished, by finish() or by the first workspace or batch made with it; immutable from then on. Every add_...
returns the index of the constraint. Options of each: rows="linear", axes="world", frequency, damping_ratio, weights,
compliance, name (types.ConstraintOptions). welds and points are added first: Constraints(robot, welds=["l_foot"])."""),
    "tenon_workspace": ("Computing", "make another of its model and constraints",
"""All memory of computations on one state at a time, of a model and a constraint set, or none.

One thread at a time: a call while another one runs raises RuntimeError. Inputs are anything that numpy makes an array
of; contiguous float64 is taken without a copy. Results are new arrays, or `out`, where it is given; False: not wanted,
and None in its place. A call that fails raises Error; one that writes its answer with a caveat (contradictory rows, for
instance) leaves that in `status`.

model, constraints: what it was made for. nq, nv: numbers of positions and velocities that computations take, which
set_coordinates changes. m: constraint rows. wrenches: 6 for each link, [moment about the link's origin; force], along
link axes. Options of constrained_dynamics and the steps are given by name, or made once, by solve_options."""),
    "tenon_batch": ("Batches", "make another of its model and constraints",
"""Many states in one call, side by side in the wide registers of the processor, and by threads.

Arrays have a state in each row: q is states x nq. Strides of whole numbers are taken without a copy, as of a
transposed array or a part of a larger one; an input of one row, or of one dimension, is the same for all states. A
state that fails spoils only itself: its `status` is negative, nothing is written for it, and the call raises Error
after the others are done; with raises=False it does not. precision="single", or "float": arrays are float32. threads:
that compute. A call while another one runs raises RuntimeError."""),
}  # fmt: skip
# What objects say of themselves.
SHOWN = {
    "tenon_model": " {0.name}: {0.joint_count} joints, nq {0.nq}, nv {0.nv}",
    "tenon_constraints": " on {0.model.name}, finished: {0.finished}",
    "tenon_workspace": " of {0.model.name}: nq {0.nq}, nv {0.nv}, m {0.m}, {0.size_bytes} bytes",
    "tenon_batch": " of {0.model.name}: nq {0.nq}, nv {0.nv}, m {0.m}, {0.width} states of {0.dtype} at a time",
}
