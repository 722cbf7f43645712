const ours = '^(core|schema|adapters|workflows|activities|worker|client|server|stack|cli|web)/';
const allow = (folder, ...others) => ({
  name: `${folder}-reaches-only-what-it-may`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: ours, pathNot: `^(${[folder, ...others].join('|')})/` },
});
// What every process reads to know where it is: docs/decisions.md, 2026-11-21.
const settings = 'adapters/settings';

module.exports = {
  forbidden: [
    allow('core'),
    allow('schema', 'core', settings),
    allow('adapters', 'core'),
    allow('activities', 'core', 'schema', 'adapters'),
    allow('workflows', 'core', 'activities'),
    allow('client', 'core', 'schema', 'workflows', settings),
    allow('worker', 'core', 'schema', 'adapters', 'activities', 'workflows', 'client'),
    allow('server', 'core', 'schema', 'adapters', 'client'),
    allow('stack', settings),
    allow('cli', 'client', 'stack'),
    allow('web'),
    {
      name: 'core-imports-nothing',
      severity: 'error',
      from: { path: '^core/' },
      to: { pathNot: '^core/' },
    },
    {
      name: 'workflows-run-only-core',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        dependencyTypesNot: ['type-only'],
        pathNot: '^(workflows|core)/|(^|/)node_modules/@temporalio/(workflow|common)/',
      },
    },
    {
      name: 'callers-run-only-the-protocol',
      severity: 'error',
      from: { path: '^client/' },
      to: {
        dependencyTypesNot: ['type-only'],
        path: '^workflows/',
        pathNot: '^workflows/protocol\\.ts$',
      },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'code-never-imports-tests',
      severity: 'error',
      from: { path: ours },
      to: { path: '^(test|bench|examples)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    // Packages may be linked from another checkout, and are the same there.
    preserveSymlinks: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      conditionNames: ['import', 'types', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
