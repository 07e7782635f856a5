const asyncHooks = require('node:async_hooks');
const { createRequire, register } = require('node:module');
const { pathToFileURL } = require('node:url');
const { fn, spyOn } = require('jest-mock');

register('./typescript-hooks.js', pathToFileURL(__filename));
process.setSourceMapsEnabled(true);

/** The classes that class-validator has registered, and those of them that the service itself declares. */
const inputClasses = () => globalThis.classValidatorMetadataStorage.validationMetadatas;
let ofTheService;

const load = createRequire(require.resolve('jest-circus'));

/**
 * Stores the framework's state of the current test. Only one test runs at a time, so it is not necessary to track the
 * promises of the service.
 */
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
 * A Jest runtime without a separate realm for each test file. Node.js evaluates each module once per worker, not once
 * per file. Module evaluation takes most of the CPU time of such a test suite. Modules cannot be mocked. The framework
 * itself is reloaded for each file, because its state is the list of that file's tests.
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

  /** Removes the input classes that a test file declared, because they do not belong to the service. */
  teardown() {
    for (const declared of ofTheService ? inputClasses().keys() : []) {
      if (!ofTheService.has(declared)) inputClasses().delete(declared);
    }
  }
};
