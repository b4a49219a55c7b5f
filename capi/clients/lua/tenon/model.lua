-- Models: robots.
local ffi = require("ffi")
local support = require("tenon.support")
local lib, number = support.lib, support.number

local Model = support.class("Model", 1)

-- Sizes and names, of a model that was just made.
local function filled(model)
  local p = model:pointer()
  model.name = ffi.string(lib.tenon_model_name(p))
  for _, name in ipairs({ "nq", "nv", "nyq", "ny", "link_count", "joint_count", "body_count", "loop_count", "depth" }) do
    model[name] = lib["tenon_model_" .. name](p)
  end
  model.floating_base = lib.tenon_model_floating_base(p) == 1
  model.total_mass = lib.tenon_model_total_mass(p)
  model.links, model.joints, model.warnings = {}, {}, {}
  for i = 1, model.link_count do
    model.links[i] = ffi.string(lib.tenon_model_link_name(p, i - 1))
  end
  for i = 1, model.joint_count do
    model.joints[i] = ffi.string(lib.tenon_model_joint_name(p, i - 1))
  end
  for i = 1, lib.tenon_model_warning_count(p) do
    model.warnings[i] = ffi.string(lib.tenon_model_warning(p, i - 1))
  end
  return model
end

-- From a URDF file. how: fields of tenon_model_options, as { base = "floating" }.
function Model.load(path, how)
  local options, held = support.options("tenon_model_options", how)
  local model = Model.made(function(out, text, size)
    return lib.tenon_model_load_urdf(path, options, out, text, size)
  end)
  support.keep(held)
  return filled(model)
end

-- From URDF text.
function Model.parse(urdf, how)
  local options, held = support.options("tenon_model_options", how)
  local model = Model.made(function(out, text, size)
    return lib.tenon_model_parse_urdf(urdf, #urdf, options, out, text, size)
  end)
  support.keep(held)
  return filled(model)
end

-- The library's index of a link; of a joint: of its name or number.
function Model:link_index(link)
  return support.index(lib.tenon_model_find_link, self:pointer(), "link", link, self.link_count)
end

function Model:joint_index(joint)
  return support.index(lib.tenon_model_find_joint, self:pointer(), "joint", joint, self.joint_count)
end

-- What is known of a link.
function Model:link(link)
  local info, index = support.prepared("tenon_link_info"), self:link_index(link)
  support.check(lib.tenon_model_link_info(self:pointer(), index, info), "link")
  local center, inertia = support.vector(3), support.vector(6)
  ffi.copy(center.data, info.center_of_mass, 24)
  ffi.copy(inertia.data, info.inertia, 48)
  return { name = ffi.string(info.name), number = index + 1, parent_link = number(info.parent_link),
    joint = number(info.joint), body = number(info.body), is_frame = info.is_frame == 1, mass = info.mass,
    center_of_mass = center, inertia = inertia }
end

-- What is known of a joint; q_index and v_index are those of its first position and velocity.
function Model:joint(joint)
  local info, index = support.prepared("tenon_joint_info"), self:joint_index(joint)
  support.check(lib.tenon_model_joint_info(self:pointer(), index, info), "joint")
  local axis, origin = support.vector(3), support.vector(7)
  ffi.copy(axis.data, info.axis, 24)
  ffi.copy(origin.data, info.origin, 56)
  local kind = lib.tenon_constant_name(support.constants.TENON_CONSTANT_JOINT_TYPE, info.type)
  return { name = ffi.string(info.name), number = index + 1, type = ffi.string(kind),
    parent_link = number(info.parent_link), child_link = number(info.child_link), q_index = info.q_index + 1,
    nq = info.nq, v_index = info.v_index + 1, nv = info.nv, axis = axis, origin = origin, lower = info.lower,
    upper = info.upper, velocity = info.velocity, effort = info.effort, armature = info.armature,
    pitch = info.pitch }
end

-- The tree as indented text, a line for each body.
function Model:describe()
  local needed = ffi.new("size_t[1]")
  support.check(lib.tenon_model_describe(self:pointer(), nil, 0, needed), "describe")
  local text = ffi.new("char[?]", needed[0])
  support.check(lib.tenon_model_describe(self:pointer(), text, needed[0], nil), "describe")
  return ffi.string(text)
end

return Model
