const ours = '^(core|schema|adapters|workflows|activities|worker|client|server|stack|cli|studio)/';
const allow = (folder, ...others) => ({
  name: `${folder}-reaches-only-what-it-may`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: ours, pathNot: `^(${[folder, ...others].join('|')})/` },
});
/**
 * The subjects of each layer and the others that each may use. Those stand above it, so no two subjects use each other.
 * All may use `schema/db`, `server/http` and the files that lie in the layer's folder itself.
 */
const subjects = {
  core: {
    models: [],
    agents: ['models'],
    archives: [],
    blocks: [],
    identities: [],
    files: ['blocks'],
    refinement: ['blocks'],
    tools: ['agents', 'archives', 'blocks', 'models'],
    turns: ['agents', 'models'],
    threads: ['agents', 'archives', 'blocks', 'files', 'models', 'tools', 'turns'],
    extensions: ['models', 'threads', 'tools', 'turns'],
    groups: ['threads', 'turns'],
    schedules: ['threads'],
    transfer: ['agents', 'blocks', 'groups', 'models', 'threads', 'tools'],
  },
  schema: {
    agents: [],
    blocks: ['agents'],
    identities: ['agents', 'blocks'],
    tools: ['agents', 'blocks'],
    archives: ['agents'],
    files: ['agents', 'archives', 'tools'],
    'refinement-requests': [],
    threads: ['agents', 'archives', 'blocks', 'files', 'refinement-requests', 'tools'],
    turns: ['agents', 'refinement-requests', 'threads', 'tools'],
    groups: ['agents', 'blocks', 'threads', 'tools', 'turns'],
    refinement: ['agents', 'archives', 'blocks', 'groups', 'refinement-requests', 'threads', 'turns'],
    schedules: ['agents', 'threads', 'turns'],
    'whole-agents': ['agents', 'blocks', 'files', 'groups', 'identities', 'tools'],
    past: ['agents', 'blocks', 'threads', 'turns'],
    transfer: ['agents', 'archives', 'blocks', 'files', 'groups', 'threads', 'tools', 'whole-agents'],
  },
  activities: {
    files: [],
    threads: [],
    turns: [],
    tools: ['threads'],
    groups: ['tools'],
    refinement: ['turns'],
    schedules: ['turns'],
  },
  server: {
    http: [],
    identities: [],
    models: [],
    past: [],
    refinement: [],
    tools: [],
    archives: ['models'],
    files: ['models'],
    threads: ['models'],
    schedules: ['threads'],
    streams: ['models', 'threads'],
    blocks: ['streams'],
    turns: ['models', 'streams', 'threads'],
    groups: ['models', 'streams', 'threads', 'turns'],
    agents: ['blocks', 'files', 'groups', 'identities', 'models', 'threads', 'tools'],
    transfer: ['agents', 'blocks', 'groups', 'models', 'threads', 'tools'],
    openai: ['models', 'streams', 'threads', 'turns'],
    'ai-sdk': ['streams', 'threads'],
    'ag-ui': ['ai-sdk', 'threads'],
    mcp: ['archives', 'blocks', 'threads', 'turns'],
    studio: [],
  },
};
/** Where a subject lies that is not a whole folder. */
const places = {
  // An agent is created, read, changed and deleted together with its parts, which themselves need only its row.
  'schema-agents': 'agents/(?!(creation|details|updates|purge)\\.ts)',
  'schema-whole-agents': 'agents/(creation|details|updates|purge)\\.ts',
  // A turn that ends and an eviction request a refinement in their own transaction. The other files run it, by turns.
  'schema-refinement': 'refinement/(?!requests\\.ts)',
  'schema-refinement-requests': 'refinement/requests\\.ts',
  // Routes put subjects together: `GET /v1/blocks/{id}/agents` answers in the words of agents.
  ...Object.fromEntries(
    Object.keys(subjects.server).map((name) => [`server-${name}`, `${name}/(?!.*-routes\\.ts)`]),
  ),
};
const allowSubjects = Object.entries(subjects).flatMap(([layer, all]) => {
  const names = Object.keys(all);
  const place = (name) => places[`${layer}-${name}`] ?? `${name}/`;
  const open = layer === 'schema' ? ['db/'] : layer === 'server' ? ['http/'] : [];
  const rules = names.map((name) => {
    const wrong = all[name].find((other) => !names.slice(0, names.indexOf(name)).includes(other));
    if (wrong !== undefined) throw new Error(`${layer}/${name} uses ${wrong}, which doesn't stand above it.`);
    const own = place(name).replace(/\/.*/, '/');
    return {
      name: `${layer}-${name}-uses-only-its-neighbours`,
      severity: 'error',
      from: { path: `^${layer}/${place(name)}` },
      to: {
        path: `^${layer}/[^/]+/`,
        pathNot: `^${layer}/(${[own, ...open, ...all[name].map(place)].join('|')})`,
      },
    };
  });
  const listed = ['db/', ...names.map((name) => place(name).replace(/\/.*/, '/'))];
  return [
    ...rules,
    {
      name: `${layer}-lists-its-subjects`,
      severity: 'error',
      from: { path: `^${layer}/[^/]+/`, pathNot: `^${layer}/(${listed.join('|')})` },
      to: { path: `^${layer}/` },
    },
  ];
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
    allow('cli', 'core', settings),
    {
      name: 'studio-runs-only-core',
      severity: 'error',
      from: { path: '^studio/' },
      to: { dependencyTypesNot: ['type-only'], path: ours, pathNot: '^(studio|core)/' },
    },
    ...allowSubjects,
    {
      name: 'only-the-app-and-routes-use-routes',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/app\\.ts$|-routes\\.ts$' },
      to: { path: '-routes\\.ts$' },
    },
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
