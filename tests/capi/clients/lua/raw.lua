-- The raw layer of LuaJIT does and prints what c/raw.c does: raw.lua <raw.lua of the client> <libtenon.so> <atlas.urdf>.
local ffi = require("ffi")
local tenon, k, structs = dofile(arg[1])(arg[2])
local message = ffi.new("char[512]")

local function check(status, why)
  if status < 0 then
    error(ffi.string(tenon.tenon_status_string(status)) .. ": " .. ffi.string(why or message))
  end
end

local function bits(x)
  local both = ffi.new("union { double number; uint32_t half[2]; }", { number = x })
  return bit.tohex(both.half[1]) .. bit.tohex(both.half[0])
end

for _, struct in ipairs(structs) do
  local line = { struct.name, ffi.sizeof(struct.name) }
  for _, field in ipairs(struct.fields) do
    line[#line + 1] = ffi.offsetof(struct.name, field)
  end
  print(table.concat(line, " "))
end
print("version " .. tenon.tenon_version() .. " " .. ffi.string(tenon.tenon_version_string()))
print(ffi.string(tenon.tenon_build_info()))

local options, out = ffi.new("tenon_model_options"), ffi.new("tenon_model *[1]")
check(tenon.tenon_model_options_init(options, ffi.sizeof(options)))
options.base = k.TENON_BASE_FLOATING
check(tenon.tenon_model_load_urdf(arg[3], options, out, message, 512))
local model = out[0]
local nq, nv = tenon.tenon_model_nq(model), tenon.tenon_model_nv(model)
print(ffi.string(tenon.tenon_model_name(model)) .. ": " .. nq .. " positions, " .. nv .. " velocities")

local index, info = ffi.new("int32_t[1]"), ffi.new("tenon_joint_info")
check(tenon.tenon_model_find_joint(model, "l_leg_kny", index, message, 512))
check(tenon.tenon_joint_info_init(info, ffi.sizeof(info)))
check(tenon.tenon_model_joint_info(model, index[0], info))
print(ffi.string(info.name) .. " " .. index[0] .. ": upper " .. bits(info.upper) .. ", origin z " .. bits(info.origin[2]))
local status = tenon.tenon_model_find_link(model, "nowhere", index, message, 512)
print(ffi.string(tenon.tenon_status_string(status)) .. ": " .. ffi.string(message))

local made = ffi.new("tenon_workspace *[1]")
check(tenon.tenon_workspace_create(model, nil, nil, made, message, 512))
local workspace = made[0]
local q, v, tau, qdd = ffi.new("double[?]", nq), ffi.new("double[?]", nv), ffi.new("double[?]", nv), ffi.new("double[?]", nv)
check(tenon.tenon_random(workspace, 7, q, nq), tenon.tenon_workspace_message(workspace))
for i = 0, nv - 1 do
  v[i] = 0.01 * i
  tau[i] = 10.0 - 0.5 * i
end
check(tenon.tenon_forward_dynamics(workspace, q, nq, v, nv, tau, nv, nil, 0, qdd, nv), tenon.tenon_workspace_message(workspace))
for i = 0, nv - 1 do
  print("qdd[" .. i .. "] = " .. bits(qdd[i]))
end
tenon.tenon_workspace_destroy(workspace)
tenon.tenon_model_destroy(model)
