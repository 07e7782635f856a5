/** @type {import('jest').Config} */
export default {
  rootDir: '.',
  testEnvironment: '<rootDir>/test/setup/native-environment.cjs',
  runtime: '<rootDir>/test/setup/native-runtime.cjs',
  testMatch: ['<rootDir>/test/**/*.e2e-spec.ts', '<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  globalSetup: '<rootDir>/test/setup/global-setup.js',
  globalTeardown: '<rootDir>/test/setup/global-teardown.js',
  reporters: ['default', '<rootDir>/test/setup/slowest-files.js', '<rootDir>/test/setup/count-line.js'],
  testTimeout: 120000,
  maxWorkers: '100%',
  // What files leave behind in their worker is given back by a new worker.
  workerIdleMemoryLimit: '2GB',
};
