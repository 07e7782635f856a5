/** `npm start`: builds if the sources changed, then runs the service in this process. */
const { existsSync } = require('node:fs');

if (existsSync('.env')) process.loadEnvFile('.env');
require('../src/thread-pool.cjs');

import('./build.mjs').then(async ({ build }) => {
  await build();
  return import('../dist/src/main.js');
});
