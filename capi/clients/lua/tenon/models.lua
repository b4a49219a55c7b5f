-- The robots that come with Tenon. LICENSES.md beside the files has the notices of the projects whose figures they are
-- made of.
local library = require("tenon.library")

local models = { folder = library.folder .. "/models" }
-- In the package they lie here; in a checkout of the sources in its folder models.
if not library.exists(models.folder .. "/LICENSES.md") then
  models.folder = library.folder .. "/../../../../models"
end

-- The URDF file of a model, by its name with or without .urdf: path("atlas").
function models.path(name)
  local found = models.folder .. "/" .. name .. (name:match("%.urdf$") and "" or ".urdf")
  if not library.exists(found) then
    error("there is no model '" .. name .. "' in " .. models.folder, 2)
  end
  return found
end

return models
