#!/usr/bin/env -S node --max-semi-space-size=4
// A small young generation keeps a third of the memory away; what lives long here lives in PostgreSQL.
// Plain JavaScript on purpose: an old Node must get as far as the message.
import module from 'node:module';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(
    `weir needs Node 22.22 or newer, this is ${process.versions.node}; run it through npm (npm start, npx weir), which brings its own\n`,
  );
  process.exit(1);
}
// Compiled code is kept beside the packages: a start then costs half the processor time. Where that folder is read-only, nothing is kept.
module.enableCompileCache(join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'weir'));
const { findBundle } = await import('./bundled.js');
await import(findBundle() ?? '../src/main.ts');
