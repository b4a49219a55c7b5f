"""A mechanism with kinematic loops in independent coordinates: tells its clusters, then moves for one second.

    python3 linkage.py <libtenon.so> models/six_bar.urdf

The state is y and ydot of the joints that determine all others; loops stay closed by themselves.
"""

import ctypes
import sys
from ctypes import byref, c_double

from binding import raw

INDEPENDENT = raw.TENON_COORDINATES_INDEPENDENT


def main(library_path, urdf_path):
    tenon = raw.load(library_path)
    text = ctypes.create_string_buffer(512)
    model, workspace = ctypes.POINTER(raw.tenon_model)(), ctypes.POINTER(raw.tenon_workspace)()

    def check(status):
        if status < 0:
            reason = text.value or tenon.tenon_workspace_message(workspace)
            sys.exit(f"{tenon.tenon_status_string(status).decode()}: {reason.decode()}")

    check(tenon.tenon_model_load_urdf(urdf_path.encode(), None, byref(model), text, len(text)))
    check(tenon.tenon_workspace_create(model, None, None, byref(workspace), text, len(text)))

    for number in range(tenon.tenon_model_cluster_count(model)):
        cluster = raw.tenon_cluster_info()
        check(tenon.tenon_cluster_info_init(byref(cluster), ctypes.sizeof(cluster)))
        check(tenon.tenon_model_cluster_info(model, number, byref(cluster)))
        joints = range(cluster.first_joint, cluster.first_joint + cluster.joint_count)
        names = " ".join(tenon.tenon_model_joint_name(model, joint).decode() for joint in joints)
        print(f"cluster of {names}: {cluster.ny} of {cluster.nv} independent, {cluster.row_count} rows of rank {cluster.rank}")

    # From a closed configuration to its independent coordinates.
    check(tenon.tenon_workspace_set_coordinates(workspace, INDEPENDENT, INDEPENDENT))
    closed = (c_double * tenon.tenon_model_nq(model))()
    y = (c_double * tenon.tenon_workspace_position_count(workspace))()
    ydot, force = ((c_double * tenon.tenon_workspace_velocity_count(workspace))() for _ in range(2))
    check(tenon.tenon_workspace_guess(workspace, closed, len(closed)))
    check(tenon.tenon_independent_position(workspace, closed, len(closed), y, len(y)))

    def energy():
        kinetic, potential = c_double(), c_double()
        check(tenon.tenon_kinematics(workspace, y, len(y), ydot, len(ydot), None, 0))
        check(tenon.tenon_energy(workspace, byref(kinetic), byref(potential)))
        return kinetic.value + potential.value

    for joint in range(len(ydot)):
        ydot[joint] = 0.5
    start = energy()
    for _ in range(1000):
        check(
            tenon.tenon_step_runge_kutta_4(
                workspace, None, 1e-3, y, len(y), ydot, len(ydot), force, len(force), None, 0, None, 0, None, 0
            )
        )
    gap = c_double()
    check(tenon.tenon_spanning_position(workspace, y, len(y), None, 0, closed, len(closed)))
    check(tenon.tenon_loop_gap(workspace, closed, len(closed), byref(gap)))
    print(f"after 1 s energy differs by {abs(energy() - start):.0e} J and loops by {gap.value:.0e} m")
    print("closed" if gap.value < 1e-12 else "open")
    tenon.tenon_workspace_destroy(workspace)
    tenon.tenon_model_destroy(model)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
