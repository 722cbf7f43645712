import { files } from '../conformance/shown/files.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';

const shown = '[Viewing file start (out of 1 lines)]\n1: Night work is paid double.';

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
    blocks: [
      ['handbook/rules_(1).md', shown, true],
      ['handbook/rules.md', shown, true],
    ],
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
    names: ['rules.md', 'rules_(1).md'],
    attached: [true, true, true],
    opened: [[], ['rules.md', 'rules_(1).md'], shown],
    blocks: [
      ['handbook/rules_(1).md', shown, true, false],
      ['handbook/rules.md', shown, true, true],
    ],
    closed: [1, ['rules.md', 'rules_(1).md']],
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
