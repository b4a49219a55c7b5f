// Which library is loaded: the one that TENON_LIBRARY names, the one that came with this package, or the system's.
'use strict';
const fs = require('fs');
const path = require('path');

// As Node calls this system: native/<platform>/lib is of it.
const platform = `${process.platform}-${process.arch}`;
const native = path.join(__dirname, 'native');

function shippedFile(name) {
  const file = path.join(native, platform, 'lib', name);
  return fs.existsSync(file) ? file : null;
}

// For which systems the package has a library.
function shippedPlatforms() {
  return fs.existsSync(native) ? fs.readdirSync(native).sort() : [];
}

function load() {
  const given = process.env.TENON_LIBRARY;
  if (given) {
    return loaded(given, (why) => `TENON_LIBRARY names ${given}, which cannot be loaded: ${why}`);
  }
  const { TENON_VERSION_MAJOR: major, TENON_VERSION_MINOR: minor } = require('./raw.js').constants;
  const series = `${major}.${minor}`;
  const names = { win32: 'tenon.dll', darwin: `libtenon.${series}.dylib` };
  const name = names[process.platform] ?? `libtenon.so.${series}`;
  const shipped = shippedFile(name);
  if (shipped) {
    return loaded(shipped, (why) => `${shipped} cannot be loaded: ${why}; set TENON_LIBRARY to the path of another`);
  }
  const known = shippedPlatforms();
  const brought = known.length ? `brings libraries for ${known.join(', ')}` : 'was installed without a library';
  return loaded(name, (why) => `there is no library for ${platform}: this package ${brought}, and the system has no ${name} ` +
    `(${why}). Build or install Tenon for ${platform}, and set TENON_LIBRARY to the path of the library`);
}

function loaded(file, message) {
  try {
    return require('./raw.js').load(file);
  } catch (error) {
    throw new Error(`tenon-dynamics: ${message(error.message)}`, { cause: error });
  }
}

module.exports = { load, platform, shippedFile, shippedPlatforms };
