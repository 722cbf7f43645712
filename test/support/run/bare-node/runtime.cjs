const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { AsyncLocalStorage } = require('node:async_hooks');
const { register } = require('node:module');
const { pathToFileURL } = require('node:url');

const framework = Symbol.for('perdure.test-framework');

/**
 * Jest's runtime, without a module registry and a context for each file: Node loads modules, once for all files of the
 * process. Loading them again for each file took half of a whole run.
 */
class BareNodeRuntime {
  constructor(config, _environment, _resolver, _transformer, _sources, _coverage, testPath) {
    this.jest = jestObject(config);
    this.testPath = testPath;
  }

  /** Jest's own modules. Its test framework keeps its state in the module, so each file gets it anew. */
  requireInternalModule(path) {
    delete require.cache[require.resolve(path)];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    globalThis[framework] = { ...globals, jest: this.jest };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    loading ??= loadTypeScript();
    await loading;
    await import(pathToFileURL(path).href);
    // Jest and Temporal map stack traces by what they compiled, which is nothing here. Node maps them by what tsx says.
    Error.prepareStackTrace = undefined;
  }

  getSourceMaps() {
    return null;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    this.jest.restoreAllMocks();
    this.jest.useRealTimers();
  }
}

/**
 * The storages that ran something since the file began. Jest makes one for each file and Temporal one for each
 * connection. Each costs every later promise of the process a little, until it is disabled.
 */
const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...work) {
  used.add(this);
  return run.apply(this, work);
};

let loading;

async function loadTypeScript() {
  await import('tsx');
  register('./jest-globals-hook.mjs', pathToFileURL(__filename));
}

function jestObject(config) {
  const mocker = new ModuleMocker(globalThis);
  const timers = new ModernFakeTimers({ config, global: globalThis });
  return {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  };
}

module.exports = BareNodeRuntime;
