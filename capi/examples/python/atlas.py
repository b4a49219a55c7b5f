"""Atlas with both feet welded to the ground: loads the robot, solves once, prints every joint acceleration.

    python3 atlas.py <libtenon.so> models/atlas.urdf

Nothing but ctypes, on the declarations of capi/clients/python/tenon/_raw.py.
"""

import ctypes
import struct
import sys

from binding import raw


def main(library_path, urdf_path):
    tenon = raw.load(library_path)
    text = ctypes.create_string_buffer(512)
    message = (text, len(text))

    def check(status, reason=None):
        if status < 0:
            reason = text.value if reason is None else reason
            sys.exit(f"{tenon.tenon_status_string(status).decode()}: {reason.decode()}")

    # The robot, free to move in space.
    model = ctypes.POINTER(raw.tenon_model)()
    options = raw.tenon_model_options()
    check(tenon.tenon_model_options_init(options, ctypes.sizeof(options)))
    options.base = raw.TENON_BASE_FLOATING
    check(tenon.tenon_model_load_urdf(urdf_path.encode(), options, model, *message))

    # Both feet are welded where they are.
    constraints = ctypes.POINTER(raw.tenon_constraints)()
    check(tenon.tenon_constraints_create(model, constraints, *message))
    for name in (b"l_foot", b"r_foot"):
        foot = ctypes.c_int32()
        check(tenon.tenon_model_find_link(model, name, foot, *message))
        check(tenon.tenon_constraints_add_weld(constraints, foot, None, 0, None, None, *message))
    check(tenon.tenon_constraints_finish(constraints, *message))

    workspace = ctypes.POINTER(raw.tenon_workspace)()
    check(tenon.tenon_workspace_create(model, constraints, None, workspace, *message))

    # Some state and some joint torques.
    nq, nv = tenon.tenon_model_nq(model), tenon.tenon_model_nv(model)
    rows = tenon.tenon_constraints_row_count(constraints)
    q, v, tau, qdd, force = ((ctypes.c_double * n)() for n in (nq, nv, nv, nv, rows))
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
