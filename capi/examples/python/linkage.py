"""A mechanism with kinematic loops in independent coordinates: tells its clusters, then moves for one second.

    python3 linkage.py <libtenon.so> models/six_bar.urdf

The state is y and ydot of the joints that determine all others; loops stay closed by themselves.
"""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_void_p

from binding import ARRAY, MESSAGE, load

SPANNING, INDEPENDENT = 0, 1


class ClusterInfo(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32)] + [
        (name, c_int32)
        for name in "parent_joint first_joint joint_count q_index nq v_index nv y_index ny first_row row_count "
        "rank constant_map first_loop loop_count folded_rotors reserved".split()
    ]


FUNCTIONS = {
    "tenon_status_string": (c_char_p, [c_int32]),
    "tenon_model_load_urdf": (c_int32, [c_char_p, c_void_p, POINTER(c_void_p)] + MESSAGE),
    "tenon_model_nq": (c_int32, [c_void_p]),
    "tenon_model_cluster_count": (c_int32, [c_void_p]),
    "tenon_cluster_info_init": (c_int32, [POINTER(ClusterInfo), c_size_t]),
    "tenon_model_cluster_info": (c_int32, [c_void_p, c_int32, POINTER(ClusterInfo)]),
    "tenon_model_joint_name": (c_char_p, [c_void_p, c_int32]),
    "tenon_model_destroy": (None, [c_void_p]),
    "tenon_workspace_create": (c_int32, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p)] + MESSAGE),
    "tenon_workspace_message": (c_char_p, [c_void_p]),
    "tenon_workspace_destroy": (None, [c_void_p]),
    "tenon_workspace_set_coordinates": (c_int32, [c_void_p, c_int32, c_int32]),
    "tenon_workspace_position_count": (c_int32, [c_void_p]),
    "tenon_workspace_velocity_count": (c_int32, [c_void_p]),
    "tenon_workspace_guess": (c_int32, [c_void_p] + ARRAY),
    "tenon_independent_positions": (c_int32, [c_void_p] + 2 * ARRAY),
    "tenon_spanning_positions": (c_int32, [c_void_p] + 3 * ARRAY),
    "tenon_loop_gap": (c_int32, [c_void_p] + ARRAY + [POINTER(c_double)]),
    "tenon_kinematics": (c_int32, [c_void_p] + 3 * ARRAY),
    "tenon_energy": (c_int32, [c_void_p] + 2 * [POINTER(c_double)]),
    "tenon_step_runge_kutta_4": (c_int32, [c_void_p, c_void_p, c_double] + 6 * ARRAY),
}


def main(library_path, urdf_path):
    tenon = load(library_path, FUNCTIONS)
    text = ctypes.create_string_buffer(512)
    model, workspace = c_void_p(), c_void_p()

    def check(status):
        if status < 0:
            reason = text.value or tenon.tenon_workspace_message(workspace)
            sys.exit(f"{tenon.tenon_status_string(status).decode()}: {reason.decode()}")

    check(tenon.tenon_model_load_urdf(urdf_path.encode(), None, byref(model), text, len(text)))
    check(tenon.tenon_workspace_create(model, None, None, byref(workspace), text, len(text)))

    for number in range(tenon.tenon_model_cluster_count(model)):
        cluster = ClusterInfo()
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
    check(tenon.tenon_independent_positions(workspace, closed, len(closed), y, len(y)))

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
    check(tenon.tenon_spanning_positions(workspace, y, len(y), None, 0, closed, len(closed)))
    check(tenon.tenon_loop_gap(workspace, closed, len(closed), byref(gap)))
    print(f"after 1 s energy differs by {abs(energy() - start):.0e} J and loops by {gap.value:.0e} m")
    print("closed" if gap.value < 1e-12 else "open")
    tenon.tenon_workspace_destroy(workspace)
    tenon.tenon_model_destroy(model)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
