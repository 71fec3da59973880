#!/usr/bin/env node
// The entry of npm: the version of Node is checked, and the compile cache is enabled, before any module in TypeScript loads.
import './node-version.mjs';
// By its default export: an old Node, which lacks the function, would end at a named import before its version is checked.
import module from 'node:module';

// Modules that were compiled once load in half the time.
module.enableCompileCache();
await import('./clarity.ts');
