// Runs before the tests and the build. npm puts the project's own Node (the package dev-node) first on the path; a
// binary that was started by hand, or an install without optional packages, uses the Node of the system.
const OLDEST = [22, 19];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `Tests and build need Node >= ${OLDEST.join('.')}, this is ${process.version} (${process.execPath}).\n` +
      'Run "npm ci" (with optional packages) and then an npm script, which uses the Node that npm ci installed.',
  );
  process.exit(1);
}
