import { files } from '../conformance/shown/files.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';

const older = {
  sources: {
    created: [true, 'openai/text-embedding-3-small', 300],
    byName: true,
    modified: 'All rules.',
    listed: [true, true],
    job: ['completed', 'job'],
    jobs: [true, true],
    files: ['rules.md', 'completed', 1],
    pages: [1, 1, 0],
    passages: [true],
    attached: [true, true],
    blocks: [['rules.md', '1: Night work is paid double.', true]],
    found: true,
    detached: 0,
    deleted: [0, 404, 404],
  },
};

const newer = {
  folders: {
    created: [true, 'openai/text-embedding-3-small', 300],
    updated: 'All rules.',
    pages: [2, true],
    file: ['rules.md', 'completed', 1],
    content: 'Night work is paid double.',
    names: ['rules.md', 'rules_(2).md'],
    attached: [true, true, true],
    opened: [[], true, '1: Night work is paid double.'],
    blocks: [['rules.md', '1: Night work is paid double.', true, true]],
    closed: [0, ['rules.md']],
    found: true,
    detached: 0,
    deleted: [1, 404],
  },
};

describeConformance({
  title: 'an official client, of sources, folders and their files',
  programs: '_files',
  timeoutMs: 240_000,
  model: conformanceModel,
  shown: files,
  requirement: () => 'files.clients',
  expected: ({ generation }) => (generation === 0 ? older : newer),
});
