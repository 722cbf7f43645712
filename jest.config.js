/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/run/bare-node/environment.cjs',
  runtime: '<rootDir>/test/support/run/bare-node/runtime.cjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/seeds/'],
  modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/dist/'],
  transform: {},
  injectGlobals: false,
  globalSetup: '<rootDir>/test/support/run/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/run/global-teardown.mjs',
  // The first two may add a failure that the others then count; the last one has the last word.
  reporters: [
    '<rootDir>/test/support/run/canary-reporter.js',
    '<rootDir>/test/support/run/requirements-reporter.js',
    'default',
    '<rootDir>/test/support/run/reporter.js',
  ],
  // No promise of speed: a test that waits for what never comes ends, on a busy machine too. The bench measures.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/support/run/sequencer.js',
  maxWorkers: 3,
};
