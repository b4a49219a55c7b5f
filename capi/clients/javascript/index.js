// Tenon: dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops. layer.js has the
// classes, whose methods are those of tenon.h, the manual of every call.
'use strict';
const { Handle, Matrix, TenonError, constants, lib, types } = require('./support.js');
const { enums, version, ...layer } = require('./layer.js');

module.exports = { ...layer, Handle, Matrix, TenonError, WORLD: constants.TENON_WORLD, version: version() };
module.exports.models = require('./models.js');
module.exports.raw = { functions: lib, constants, types };
