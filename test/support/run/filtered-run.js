/** Whether jest was asked for a part of the tests only. */
export function isFiltered(run) {
  return (
    run.testPathPatterns.patterns.length > 0 ||
    Boolean(run.testNamePattern) ||
    Boolean(run.onlyChanged || run.onlyFailures || run.lastCommit || run.changedSince) ||
    Boolean(run.findRelatedTests || run.runTestsByPath || run.shard) ||
    run.nonFlagArgs.length > 0
  );
}
