const asyncHooks = require('node:async_hooks');
const { createRequire, register } = require('node:module');
const { pathToFileURL } = require('node:url');
const { fn, spyOn } = require('jest-mock');

register('./typescript-hooks.js', pathToFileURL(__filename));
process.setSourceMapsEnabled(true);

/** What class-validator knows, and what of that the service itself declares. */
const inputClasses = () => globalThis.classValidatorMetadataStorage.validationMetadatas;
let ofTheService;

const load = createRequire(require.resolve('jest-circus'));

/** What the framework keeps of the test that runs. One runs at a time, and no promise of the service need be followed for it. */
class OfOneAtATime {
  getStore() {
    return this.store;
  }

  run(store, callback) {
    const before = this.store;
    const restore = () => {
      this.store = before;
    };
    this.store = store;
    try {
      const said = callback();
      if (typeof said?.finally === 'function') return said.finally(restore);
      restore();
      return said;
    } catch (error) {
      restore();
      throw error;
    }
  }
}

function loadFramework(path) {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = OfOneAtATime;
  try {
    return load(path);
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

/**
 * Jest's runtime without a realm of its own for each file of tests: Node's modules are evaluated once per worker, not
 * once per file, which is where most of the processor time of a suite of this kind goes. Nothing here mocks a module.
 * The framework itself is loaded anew for each file, since its state is the list of that file's tests.
 */
module.exports = class NativeRuntime {
  requireInternalModule(path) {
    delete require.cache[path];
    return loadFramework(path);
  }

  requireModule(path) {
    return load(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await import('../../src/index.ts');
    ofTheService ??= new Set(inputClasses().keys());
    return import(pathToFileURL(path).href);
  }

  setGlobalsForRuntime(globals) {
    const setTimeout = (milliseconds) => {
      globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = milliseconds;
    };
    Object.assign(globalThis, globals, { jest: { fn, spyOn, setTimeout } });
  }

  enterTestCode() {}

  leaveTestCode() {}

  getSourceMaps() {
    return null;
  }

  getAllCoverageInfoCopy() {}

  /** Input classes that a file of tests declared are none of the service, and gone with it. */
  teardown() {
    for (const declared of ofTheService ? inputClasses().keys() : []) {
      if (!ofTheService.has(declared)) inputClasses().delete(declared);
    }
  }
};
