import type { Shown } from './shown.js';

/** Sources, folders, their files, jobs, and what agents do with them. */
export const files: Shown = {
  test: 'test/system/conformance-files.test.ts',
  areas: {
    sources: {
      operations: [
        'sources.create',
        'sources.retrieve',
        'sources.retrieve_by_name',
        'sources.modify',
        'sources.list',
        'sources.count',
        'sources.delete',
        'sources.files.upload',
        'sources.files.list',
        'sources.files.delete',
        'sources.passages.list',
        'jobs.retrieve',
        'jobs.list',
        'jobs.list_active',
        'jobs.delete',
        'agents.sources.attach',
        'agents.sources.list',
        'agents.sources.detach',
      ],
    },
    folders: {
      operations: [
        'folders.create',
        'folders.retrieve',
        'folders.update',
        'folders.list',
        'folders.delete',
        'folders.files.upload',
        'folders.files.list',
        'folders.files.retrieve',
        'folders.files.delete',
        'folders.agents.list',
        'agents.folders.attach',
        'agents.folders.list',
        'agents.folders.detach',
        'agents.files.list',
        'agents.files.open',
        'agents.files.close',
        'agents.files.close_all',
      ],
    },
  },
};
