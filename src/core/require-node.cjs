/**
 * Ends the process with one sentence if the version of Node is too old. Must be loaded before all other modules, because
 * an old version fails on their imports. Therefore this file is CommonJS and has no newer syntax.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const file = ['../..', '../../..'].map((path) => join(__dirname, path, 'package.json')).find(existsSync);
/** The lowest version of each supported line. */
const supported = require(file)
  .engines.node.split(' || ')
  .map((range) => range.slice(1).split('.').slice(0, 2).map(Number));
const [major, minor] = process.versions.node.split('.').map(Number);

const isTooOld = major < supported[0][0] || supported.some(([line, lowest]) => line === major && minor < lowest);
if (isTooOld) {
  const lowest = supported.map((version) => version.join('.')).join(', ');
  process.stderr.write(
    `Node.js ${process.versions.node} is too old. Install one of ${lowest}, or a newer version of these.\n`,
  );
  process.exit(1);
}
