import type { Promises } from './requirement.js';

/** What npm installs. */
export const packaged: Promises = {
  'package.installs': [
    'Package',
    'The packed package is under 5 MB and has no tests; after npm installs it, `npx perdure` runs the whole quickstart.',
  ],
  'package.client': [
    'Package',
    'A script that imports `perdure` sends, watches and reads memory on the running stack, and type-checks.',
  ],
  'package.light': ['Package', 'Importing `perdure` loads no server, no worker and no database driver.'],
  'package.extensions': [
    'Package',
    'The installed stack loads an extension in TypeScript that imports `perdure/extensions`.',
  ],
  'package.worker': [
    'Package',
    'A user’s own worker runs perdure’s turns and the user’s activities; a taken name is refused.',
  ],
  'package.reference': [
    'Package',
    '`npm run docs` builds one site from the documents and the reference of the package’s exports; a dead link stops it.',
  ],
};
