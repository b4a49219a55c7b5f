#!/usr/bin/env node
// The program `tenon` that came with the package: npx tenon --help.
'use strict';
const { spawnSync } = require('child_process');
const { platform, shippedFile, shippedPlatforms } = require('./library.js');

const program = shippedFile(process.platform === 'win32' ? 'tenon.exe' : 'tenon');
if (!program) {
  const known = shippedPlatforms().join(', ') || 'no system';
  console.error(`tenon: this package has the program for ${known}, and not for ${platform}`);
  process.exit(1);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' });
if (error) console.error(`tenon: ${error.message}`);
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
