-- Which library is loaded: the one at `path`, which a program may set before it requires tenon, or the one that the
-- environment variable TENON_LIBRARY names, or the one that came with this package, or the system's.
--
--     require("tenon.library").path = "/opt/tenon/lib/libtenon.so"
--     local tenon = require("tenon")
local ffi = require("ffi")

local library = { path = nil, folder = debug.getinfo(1, "S").source:match("^@(.*)[/\\]") or "." }

local SERIES = "0.1" -- before 1.0 it is part of the library's name

-- The systems for which packages may bring one, in tenon/native/<system>.
local SYSTEMS = { "Linux-x64", "Linux-arm64", "Windows-x64", "OSX-arm64", "OSX-x64" }

function library.exists(path)
  local file = io.open(path, "rb")
  if file then
    file:close()
  end
  return file ~= nil
end

local function named(system)
  if system:match("^Windows") then
    return "tenon.dll"
  end
  return system:match("^OSX") and "libtenon." .. SERIES .. ".dylib" or "libtenon.so." .. SERIES
end

-- load(path) is that of tenon.raw.
function library.load(load)
  local function loaded(path, message)
    local results = { pcall(load, path) }
    if not results[1] then
      error("tenon: " .. message .. tostring(results[2]), 0)
    end
    return results[2], results[3], results[4]
  end

  local variable, here = os.getenv("TENON_LIBRARY"), ffi.os .. "-" .. ffi.arch
  if library.path then
    return loaded(library.path, "the path that tenon.library was given cannot be loaded: ")
  elseif variable and variable ~= "" then
    return loaded(variable, "TENON_LIBRARY names " .. variable .. ", which cannot be loaded: ")
  end
  local function shipped(system)
    return library.folder .. "/native/" .. system .. "/" .. named(system)
  end
  if library.exists(shipped(here)) then
    return loaded(shipped(here), shipped(here) .. " cannot be loaded: ")
  end
  local brought = {}
  for _, system in ipairs(SYSTEMS) do
    if library.exists(shipped(system)) then
      brought[#brought + 1] = system
    end
  end
  local all = #brought == 0 and "none" or "libraries for " .. table.concat(brought, ", ")
  return loaded(named(here), "there is no library for " .. here .. ": this package brings " .. all
    .. ", and the system has none. Build or install Tenon for " .. here .. ", and set TENON_LIBRARY to the path of the library: ")
end

return library
