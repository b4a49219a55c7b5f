"""The raw layer of Python does and prints what c/raw.c does: raw.py <folder of tenon/> <libtenon.so> <atlas.urdf>."""

import ctypes
import importlib.util
import struct
import sys


def main(folder, library, robot):
    spec = importlib.util.spec_from_file_location("tenon_raw", folder + "/_raw.py")
    raw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(raw)
    tenon = raw.load(library)
    message = ctypes.create_string_buffer(512)
    text = (message, len(message))

    def check(status, why=None):
        if status < 0:
            sys.exit(f"{tenon.tenon_status_string(status).decode()}: {(why or message.value).decode()}")

    for type_ in raw.STRUCTS:
        offsets = (getattr(type_, name).offset for name, *_ in type_._fields_)
        print(type_.__name__, ctypes.sizeof(type_), *offsets)
    print("version", tenon.tenon_version(), tenon.tenon_version_string().decode())
    print(tenon.tenon_build_info().decode())

    options, model = raw.tenon_model_options(), ctypes.POINTER(raw.tenon_model)()
    check(tenon.tenon_model_options_init(options, ctypes.sizeof(options)))
    options.base = raw.TENON_BASE_FLOATING
    check(tenon.tenon_model_load_urdf(robot.encode(), options, model, *text))
    nq, nv = tenon.tenon_model_nq(model), tenon.tenon_model_nv(model)
    print(f"{tenon.tenon_model_name(model).decode()}: {nq} positions, {nv} velocities")

    def bits(x):
        return struct.pack(">d", x).hex()

    index, info = ctypes.c_int32(-1), raw.tenon_joint_info()
    check(tenon.tenon_model_find_joint(model, b"l_leg_kny", index, *text))
    check(tenon.tenon_joint_info_init(info, ctypes.sizeof(info)))
    check(tenon.tenon_model_joint_info(model, index.value, info))
    print(f"{info.name.decode()} {index.value}: upper {bits(info.upper)}, origin z {bits(info.origin[2])}")
    status = tenon.tenon_model_find_link(model, b"nowhere", index, *text)
    print(f"{tenon.tenon_status_string(status).decode()}: {message.value.decode()}")

    workspace = ctypes.POINTER(raw.tenon_workspace)()
    check(tenon.tenon_workspace_create(model, None, None, workspace, *text))
    q, qdd = (ctypes.c_double * nq)(), (ctypes.c_double * nv)()
    v = (ctypes.c_double * nv)(*(0.01 * i for i in range(nv)))
    tau = (ctypes.c_double * nv)(*(10.0 - 0.5 * i for i in range(nv)))
    check(tenon.tenon_random(workspace, 7, q, nq), tenon.tenon_workspace_message(workspace))
    status = tenon.tenon_forward_dynamics(workspace, q, nq, v, nv, tau, nv, None, 0, qdd, nv)
    check(status, tenon.tenon_workspace_message(workspace))
    for i, x in enumerate(qdd):
        print(f"qdd[{i}] = {bits(x)}")
    tenon.tenon_workspace_destroy(workspace)
    tenon.tenon_model_destroy(model)


if __name__ == "__main__":
    main(*sys.argv[1:])
