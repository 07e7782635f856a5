import { join } from 'node:path';
import base from '../jest.config.js';

const { tests, services } = JSON.parse(process.env.MUTATION_PART);
const { globalSetup, globalTeardown, ...rest } = base;

/** The suite's own configuration, of which a part needs the database only where it starts services. */
export default {
  ...rest,
  ...(services && { globalSetup, globalTeardown }),
  rootDir: '..',
  testEnvironment: join(import.meta.dirname, 'environment.cjs'),
  runtime: '<rootDir>/mutation/runtime.cjs',
  testMatch: tests.map((path) => `<rootDir>/${path}`),
  testSequencer: '@jest/test-sequencer',
  maxWorkers: 1,
  workerIdleMemoryLimit: undefined,
};
