import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  rootDir: '.',
  testEnvironment: '<rootDir>/test/setup/native-environment.cjs',
  runtime: '<rootDir>/test/setup/native-runtime.cjs',
  testMatch: ['<rootDir>/test/**/*.e2e-spec.ts', '<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  globalSetup: '<rootDir>/test/setup/global-setup.js',
  globalTeardown: '<rootDir>/test/setup/global-teardown.js',
  testSequencer: '<rootDir>/test/setup/slow-first.js',
  reporters: [
    'default',
    '<rootDir>/test/setup/times.js',
    '<rootDir>/test/setup/ran.js',
    '<rootDir>/test/setup/running.js',
    '<rootDir>/test/setup/count-line.js',
  ],
  // Every machine has slow hours. What waits for one thing has a shorter patience of its own (test/support/timeouts.ts).
  testTimeout: 300_000,
  // Who drives a browser or a process waits for it half the time: one more than there are processors for. A server of
  // PostgreSQL is given no more than that, since each brings up to three services with their connections.
  maxWorkers: availableParallelism() + (process.env.TEST_DATABASE_URL ? 0 : 1),
  // What files leave behind in their worker is given back by a new worker.
  workerIdleMemoryLimit: '2GB',
};
