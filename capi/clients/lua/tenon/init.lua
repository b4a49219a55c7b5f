-- Tenon: dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops, for LuaJIT.
-- tenon.h is the manual of every call; numbers of links, joints, constraints and coordinates count from 1 here.
local ffi = require("ffi")
local support = require("tenon.support")

return {
  Model = require("tenon.model"),
  Constraints = require("tenon.constraints"),
  Workspace = require("tenon.workspace"),
  Batch = require("tenon.batch"),
  models = require("tenon.models"),
  Error = support.Error,
  vector = support.vector,
  matrix = support.matrix,
  -- Options made once, for calls that are made often: tenon.solve_options({ method = "dense" }).
  solve_options = function(how)
    return (support.options("tenon_solve_options", how))
  end,
  version = ffi.string(support.lib.tenon_version_string()),
  lib = support.lib, -- every function of tenon.h
  constants = support.constants,
}
