import type { Promises } from './requirement.js';

/** What npm installs. */
export const packaged: Promises = {
  'package.installs': [
    'Package',
    'The packed package is under 5 MB and without tests; where npm installs it, `npx perdure` runs the whole quickstart.',
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
    'A worker of one’s own runs perdure’s turns and one’s own activities beside; a name that is taken is refused.',
  ],
  'package.reference': [
    'Package',
    '`npm run docs` makes one site of the documents and the reference of what the package exports, without dead links; a dead link stops it.',
  ],
};
