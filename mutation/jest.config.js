import { dirname, join } from 'node:path';
import base from '../jest.config.js';

const { tests } = JSON.parse(process.env.MUTATION_PART);
const { globalSetup, globalTeardown, ...rest } = base;

/** The suite's own configuration. What it prepares for all files of a run is prepared once for all mutants, by `run.mjs`. */
export default {
  ...rest,
  rootDir: '..',
  roots: [...new Set(tests.map((path) => `<rootDir>/${dirname(path)}`))],
  testEnvironment: join(import.meta.dirname, 'environment.cjs'),
  runtime: '<rootDir>/mutation/runtime.cjs',
  testMatch: tests.map((path) => `<rootDir>/${path}`),
  testSequencer: join(import.meta.dirname, 'in-order.cjs'),
  // Of what waits for ever, a test is to be told, not a process that has to be made anew.
  testTimeout: 60_000,
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
  watchman: false,
};
