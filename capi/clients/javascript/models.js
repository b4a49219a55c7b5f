// The robots that come with Tenon. LICENSES.md beside the files has the notices of the projects whose figures they are
// made of.
'use strict';
const fs = require('fs');
const path = require('path');

// In the package they lie here; in a checkout of the sources in its folder models.
const own = path.join(__dirname, 'models');
const folder = fs.existsSync(own) ? own : path.join(__dirname, '../../../models');

function names() {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => name.endsWith('.urdf')).map((name) => name.slice(0, -5)).sort();
}

function file(name) {
  const found = path.join(folder, name.endsWith('.urdf') ? name : `${name}.urdf`);
  if (!fs.existsSync(found)) {
    throw new Error(`there is no model '${name}'; there are: ${names().join(', ') || `none, in ${folder}`}`);
  }
  return found;
}

module.exports = { folder, names, path: file };
