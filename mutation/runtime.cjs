const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const NativeRuntime = require('../test/setup/native-runtime.cjs');

register('./run-hooks.mjs', pathToFileURL(__filename));

const { services } = JSON.parse(process.env.MUTATION_PART);
let run = 0;
let loaded;

/** The mutants that a module evaluates while it is loaded. They have no effect in a module that is already loaded. */
async function mutantsAtLoad() {
  const stryker = globalThis.__stryker__;
  const { activeMutant } = stryker;
  stryker.activeMutant = 'none';
  await import('../src/index.ts');
  await import('../src/app.ts');
  stryker.activeMutant = activeMutant;
  return new Set(Object.keys(stryker.mutantCoverage?.static ?? {}));
}

/**
 * The runtime of the test suite, but each run evaluates the test file again. A file that was already imported would
 * register no tests. The modules of the project are also evaluated again, because the mutant must affect the values
 * that they create on load, such as patterns. If a part starts services, this takes most of the time. Such a part does
 * it only for mutants that are evaluated while modules are loaded.
 */
module.exports = class MutantRuntime extends NativeRuntime {
  async unstable_importModule(path) {
    loaded ??= services ? await mutantsAtLoad() : undefined;
    const isShared = loaded && !loaded.has(process.env.__STRYKER_ACTIVE_MUTANT__);
    return import(`${pathToFileURL(path).href}?${isShared ? 'run' : 'own'}=mutant-${++run}`);
  }
};
