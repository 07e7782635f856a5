const { pathToFileURL } = require('node:url');
const NativeRuntime = require('../test/setup/native-runtime.cjs');

let run = 0;

/**
 * The suite's runtime, but every run of a file evaluates the modules of the project anew: what a module makes when it is
 * loaded, such as its patterns, has to be made by the mutant, and a file of tests that was imported before says nothing.
 */
module.exports = class MutantRuntime extends NativeRuntime {
  async unstable_importModule(path) {
    return import(`${pathToFileURL(path).href}?own=mutant-${++run}`);
  }
};
