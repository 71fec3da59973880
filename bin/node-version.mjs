/**
 * Ends with a clear message on a Node that cannot run the program. Plain JavaScript, so that every Node can read it: npm
 * runs it before `npm test`, and the program imports it first.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  const bundled =
    process.platform === 'darwin'
      ? ''
      : 'Run it by npm (npm start, npm run clarity -- …), which brings Node 24 on Linux and Windows, or install ';
  process.stderr.write(
    `Clarity needs Node 24.15 or later; this is Node ${process.versions.node}.\n${bundled || 'Install '}Node 24 from https://nodejs.org, then run the command again.\n`,
  );
  process.exit(1);
}
