/** `npm start`: builds if the sources changed, then runs the service in this process. */
require('../src/core/thread-pool.cjs');
const { isPrimary } = require('node:cluster');

// A worker runs what was built for the process that starts it.
const built = isPrimary ? import('./build.mjs').then(({ build }) => build()) : Promise.resolve();
built.then(() => {
  if (process.env.PAGES_WATCHED === undefined) return require('../dist/service/main.cjs');
  return import('../dist/src/main.js');
});
