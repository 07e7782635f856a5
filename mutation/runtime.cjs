const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const NativeRuntime = require('../test/setup/native-runtime.cjs');

register('./run-hooks.mjs', pathToFileURL(__filename));

const { services } = JSON.parse(process.env.MUTATION_PART);
let run = 0;
let loaded;

/** The mutants that a module decides on while it is loaded. Nothing of them is seen where it was loaded before. */
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
 * The suite's runtime, but every run of a file evaluates it anew, since a file of tests that was imported before says
 * nothing. The modules of the project are evaluated anew with it: what a module makes when it is loaded, such as its
 * patterns, has to be made by the mutant. Where services are started that is most of the time, so there it is done for
 * the mutants alone that are met while modules are loaded.
 */
module.exports = class MutantRuntime extends NativeRuntime {
  async unstable_importModule(path) {
    loaded ??= services ? await mutantsAtLoad() : undefined;
    const isShared = loaded && !loaded.has(process.env.__STRYKER_ACTIVE_MUTANT__);
    return import(`${pathToFileURL(path).href}?${isShared ? 'run' : 'own'}=mutant-${++run}`);
  }
};
