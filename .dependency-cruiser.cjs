const ours = '^(core|schema|adapters|workflows|activities|worker|client|server|stack|cli|studio)/';
const allow = (folder, ...others) => ({
  name: `${folder}-reaches-only-what-it-may`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: ours, pathNot: `^(${[folder, ...others].join('|')})/` },
});
/** Which subject of a layer may use which others. `schema/db` is open to all of `schema`, what lies in `core/` itself to all of `core`. */
const subjects = {
  core: {
    agents: ['tools', 'turns'],
    archives: [],
    blocks: [],
    extensions: ['threads', 'tools', 'turns'],
    files: ['blocks'],
    groups: ['threads', 'turns'],
    identities: [],
    refinement: ['blocks'],
    schedules: ['threads'],
    threads: ['agents', 'archives', 'blocks', 'files', 'tools', 'turns'],
    tools: ['agents', 'archives', 'blocks', 'turns'],
    transfer: ['agents', 'blocks', 'groups', 'threads', 'tools', 'turns'],
    turns: ['agents', 'tools'],
  },
  schema: {
    agents: ['blocks', 'files', 'groups', 'identities', 'tools'],
    archives: ['agents'],
    blocks: ['agents', 'identities', 'refinement'],
    files: ['agents', 'archives', 'tools'],
    groups: ['agents', 'blocks', 'threads', 'tools', 'turns'],
    identities: ['agents', 'blocks'],
    past: ['agents', 'blocks', 'threads', 'turns'],
    refinement: ['agents', 'archives', 'blocks', 'groups', 'threads', 'turns'],
    schedules: ['agents', 'threads', 'turns'],
    threads: ['agents', 'archives', 'blocks', 'files', 'refinement', 'tools', 'turns'],
    tools: ['agents', 'blocks', 'refinement'],
    transfer: ['agents', 'archives', 'blocks', 'files', 'groups', 'threads', 'tools'],
    turns: ['agents', 'refinement', 'threads', 'tools'],
  },
};
const allowSubjects = Object.entries(subjects).flatMap(([layer, all]) =>
  Object.entries(all).map(([subject, others]) => ({
    name: `${layer}-${subject}-uses-only-its-neighbours`,
    severity: 'error',
    from: { path: `^${layer}/${subject}/` },
    to: { path: `^${layer}/[^/]+/`, pathNot: `^${layer}/(${[subject, 'db', ...others].join('|')})/` },
  })),
);
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
    allow('cli', settings),
    {
      name: 'studio-shares-only-types-of-the-wire',
      severity: 'error',
      from: { path: '^studio/' },
      to: { dependencyTypesNot: ['type-only'], path: ours, pathNot: '^studio/' },
    },
    ...allowSubjects,
    {
      name: 'core-imports-nothing-but-the-line-diff',
      severity: 'error',
      from: { path: '^core/' },
      to: { pathNot: '^core/|(^|/)node_modules/diff/' },
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
