/** Runs the compiled tests. @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/dist/test/**/*.e2e-spec.js'],
  testTimeout: 180000,
};
