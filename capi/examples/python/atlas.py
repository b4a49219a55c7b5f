"""Atlas with both feet welded to the ground: loads the robot, solves once, prints every joint acceleration.

    python3 atlas.py <libtenon.so> models/atlas.urdf

Nothing but ctypes (binding.py). A binding declares the argument types of what it calls, once; the rest is Python.
"""

import ctypes
import struct
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

from binding import ARRAY, MESSAGE, load

BASE_FLOATING = 1
LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


class ModelOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("base", c_int32),
        ("floating_joint_name", c_char_p),
        ("gravity", c_double * 3),
        ("log_callback", LOG),
        ("log_user", c_void_p),
        ("log_level", c_int32),
        ("loop_treatment", c_int32),
    ]


FUNCTIONS = {
    "tenon_status_string": (c_char_p, [c_int32]),
    "tenon_model_options_init": (c_int32, [POINTER(ModelOptions), c_size_t]),
    "tenon_model_load_urdf": (c_int32, [c_char_p, POINTER(ModelOptions), POINTER(c_void_p)] + MESSAGE),
    "tenon_model_find_link": (c_int32, [c_void_p, c_char_p, POINTER(c_int32)] + MESSAGE),
    "tenon_model_nq": (c_int32, [c_void_p]),
    "tenon_model_nv": (c_int32, [c_void_p]),
    "tenon_model_destroy": (None, [c_void_p]),
    "tenon_constraints_create": (c_int32, [c_void_p, POINTER(c_void_p)] + MESSAGE),
    "tenon_constraints_add_weld": (
        c_int32,
        [c_void_p, c_int32] + ARRAY + [c_void_p, POINTER(c_int32)] + MESSAGE,
    ),
    "tenon_constraints_finish": (c_int32, [c_void_p] + MESSAGE),
    "tenon_constraints_row_count": (c_int32, [c_void_p]),
    "tenon_constraints_destroy": (None, [c_void_p]),
    "tenon_workspace_create": (c_int32, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p)] + MESSAGE),
    "tenon_workspace_message": (c_char_p, [c_void_p]),
    "tenon_workspace_destroy": (None, [c_void_p]),
    "tenon_random": (c_int32, [c_void_p, c_uint64] + ARRAY),
    "tenon_constrained_dynamics": (c_int32, [c_void_p, c_void_p] + 5 * ARRAY + 2 * ARRAY),
}


def main(library_path, urdf_path):
    tenon = load(library_path, FUNCTIONS)
    text = ctypes.create_string_buffer(512)
    message = (text, len(text))

    def check(status, reason=None):
        if status < 0:
            reason = text.value if reason is None else reason
            sys.exit(f"{tenon.tenon_status_string(status).decode()}: {reason.decode()}")

    # The robot, free to move in space.
    model = c_void_p()
    options = ModelOptions()
    check(tenon.tenon_model_options_init(byref(options), ctypes.sizeof(options)))
    options.base = BASE_FLOATING
    check(tenon.tenon_model_load_urdf(urdf_path.encode(), byref(options), byref(model), *message))

    # Both feet are welded where they are.
    constraints = c_void_p()
    check(tenon.tenon_constraints_create(model, byref(constraints), *message))
    for name in (b"l_foot", b"r_foot"):
        foot = c_int32()
        check(tenon.tenon_model_find_link(model, name, byref(foot), *message))
        check(tenon.tenon_constraints_add_weld(constraints, foot, None, 0, None, None, *message))
    check(tenon.tenon_constraints_finish(constraints, *message))

    workspace = c_void_p()
    check(tenon.tenon_workspace_create(model, constraints, None, byref(workspace), *message))

    # Some state and some joint torques.
    nq, nv = tenon.tenon_model_nq(model), tenon.tenon_model_nv(model)
    rows = tenon.tenon_constraints_row_count(constraints)
    q, v, tau, qdd = (c_double * nq)(), (c_double * nv)(), (c_double * nv)(), (c_double * nv)()
    force = (c_double * rows)()
    check(tenon.tenon_random(workspace, 1, q, nq), tenon.tenon_workspace_message(workspace))
    for i in range(6, nv):
        v[i] = 0.01 * i
        tau[i] = 10.0 - 0.5 * i

    status = tenon.tenon_constrained_dynamics(
        workspace, None, q, nq, v, nv, tau, nv, None, 0, None, 0, qdd, nv, force, rows
    )
    check(status, tenon.tenon_workspace_message(workspace))

    # As the 64 bits of each number, so that programs can be compared to the last one.
    print(tenon.tenon_status_string(status).decode())
    for i, acceleration in enumerate(qdd):
        print(f"qdd[{i}] = {struct.pack('>d', acceleration).hex()}")

    tenon.tenon_workspace_destroy(workspace)
    tenon.tenon_constraints_destroy(constraints)
    tenon.tenon_model_destroy(model)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: atlas.py <libtenon.so> <atlas.urdf>")
    main(sys.argv[1], sys.argv[2])
