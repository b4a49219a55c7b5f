"""tenon.h through cffi: python3 cffi_test.py <preprocessed header> <libtenon.so> <iiwa14.urdf>"""

import sys

import cffi

header, library, robot = sys.argv[1:]
ffi = cffi.FFI()
ffi.cdef(open(header).read())
tenon = ffi.dlopen(library)

message = ffi.new("char[512]")


def check(status):
    if status != 0:
        sys.exit(f"{ffi.string(tenon.tenon_status_string(status)).decode()}: {ffi.string(message).decode()}")


options = ffi.new("tenon_model_options *")
check(tenon.tenon_model_options_init(options, ffi.sizeof("tenon_model_options")))
assert options.gravity[2] == -9.81
model, workspace = ffi.new("tenon_model **"), ffi.new("tenon_workspace **")
check(tenon.tenon_model_load_urdf(robot.encode(), options, model, message, 512))
check(tenon.tenon_workspace_create(model[0], ffi.NULL, ffi.NULL, workspace, message, 512))
nv = tenon.tenon_model_nv(model[0])
q, v, tau, qdd = (ffi.new("double[]", nv) for _ in range(4))
q[1] = 0.5
check(tenon.tenon_forward_dynamics(workspace[0], q, nv, v, nv, tau, nv, ffi.NULL, 0, qdd, nv))
print(f"{nv} joints, qdd[0] = {qdd[0]:.6f}")
tenon.tenon_workspace_destroy(workspace[0])
tenon.tenon_model_destroy(model[0])
