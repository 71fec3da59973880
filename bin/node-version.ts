/** Imported first: an older Node would fail later and less clearly. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `Clarity needs Node 24.15 or later, this is ${process.versions.node}.\n` +
      'Run it through npm (npm start, npm run clarity -- …), which brings its own Node, or install Node 24.\n',
  );
  process.exit(1);
}
