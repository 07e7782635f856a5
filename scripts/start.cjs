/** `npm start`: builds if the sources have changed, then runs the service in this process. */
require('../src/core/thread-pool.cjs');
const { isPrimary } = require('node:cluster');

// A cluster worker runs the build of the primary process, so only the primary process builds.
const build = async () => {
  (await import('./help.mjs')).answerHelp(__filename);
  await (await import('./build.mjs')).build();
};
(isPrimary ? build() : Promise.resolve()).then(() => {
  if (process.env.PAGES_WATCHED === undefined) return require('../dist/service/main.cjs');
  return import('../dist/src/main.js');
});
