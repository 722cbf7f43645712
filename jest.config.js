/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/seeds/'],
  modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  // Imports name the file that would be built; jest finds the one that is written.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  injectGlobals: false,
  setupFilesAfterEnv: ['<rootDir>/test/support/second-try.js'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // The first two may add a failure that the others then count; the last one has the last word.
  reporters: [
    '<rootDir>/test/support/canary-reporter.js',
    '<rootDir>/test/support/requirements-reporter.js',
    'default',
    '<rootDir>/test/support/reporter.js',
  ],
  // No promise of speed: a test that waits for what never comes ends, on a busy machine too. The bench measures.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/support/sequencer.js',
  maxWorkers: 2,
  // Each file leaves behind its modules, and its AsyncLocalStorages, which Node asks about every promise from then on. A
  // process that has run many spends half of its time on that, and is replaced.
  workerIdleMemoryLimit: '500MB',
};
