import { dirname, join } from 'node:path';
import base from '../jest.config.js';

const { tests } = JSON.parse(process.env.MUTATION_PART);
const { globalSetup, globalTeardown, ...rest } = base;

/** The configuration of the test suite. `run.mjs` does the global setup once for all mutants. */
export default {
  ...rest,
  rootDir: '..',
  roots: [...new Set(tests.map((path) => `<rootDir>/${dirname(path)}`))],
  testEnvironment: join(import.meta.dirname, 'environment.cjs'),
  runtime: '<rootDir>/mutation/runtime.cjs',
  testMatch: tests.map((path) => `<rootDir>/${path}`),
  testSequencer: join(import.meta.dirname, 'in-order.cjs'),
  // A test that waits forever must fail by itself. Otherwise its process would have to be replaced.
  testTimeout: 60_000,
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  watchman: false,
};
