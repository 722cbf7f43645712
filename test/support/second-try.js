import { expect, jest } from '@jest/globals';

// Tests with real servers and processes share the machine with whatever else it does. One that fails is tried once more,
// its first failure is shown, and the end of the run names it: nobody takes a second try for a first.
const { testPath = '' } = expect.getState();
if (/[\\/]test[\\/](adapters|client|server|stack|system|workflows)[\\/]/.test(testPath))
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
