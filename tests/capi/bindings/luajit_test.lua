-- tenon.h through LuaJIT's FFI: luajit luajit_test.lua <preprocessed header> <libtenon.so> <iiwa14.urdf>
local ffi = require("ffi")
local header, library, robot = arg[1], arg[2], arg[3]
local file = assert(io.open(header))
ffi.cdef(file:read("*a"))
file:close()
local tenon = ffi.load(library)

local message = ffi.new("char[512]")
local function check(status)
  if status ~= 0 then
    error(ffi.string(tenon.tenon_status_string(status)) .. ": " .. ffi.string(message))
  end
end

local options = ffi.new("tenon_model_options")
check(tenon.tenon_model_options_init(options, ffi.sizeof(options)))
assert(options.gravity[2] == -9.81)
local model, workspace = ffi.new("tenon_model *[1]"), ffi.new("tenon_workspace *[1]")
check(tenon.tenon_model_load_urdf(robot, options, model, message, 512))
check(tenon.tenon_workspace_create(model[0], nil, nil, workspace, message, 512))
local nv = tenon.tenon_model_nv(model[0])
local q, v, tau, qdd = ffi.new("double[?]", nv), ffi.new("double[?]", nv), ffi.new("double[?]", nv), ffi.new("double[?]", nv)
q[1] = 0.5
check(tenon.tenon_forward_dynamics(workspace[0], q, nv, v, nv, tau, nv, nil, 0, qdd, nv))
print(string.format("%d joints, qdd[0] = %.6f", nv, qdd[0]))
tenon.tenon_workspace_destroy(workspace[0])
tenon.tenon_model_destroy(model[0])
