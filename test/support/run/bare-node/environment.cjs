/** The environment of test files that share their process, as its runtime does: there is no global object beside Node's. */
module.exports = class BareNode {
  global = {};

  setup() {
    return Promise.resolve();
  }

  teardown() {
    return Promise.resolve();
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'import'];
  }
};
