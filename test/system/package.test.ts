import { describePackage } from '../support/package-checks.js';

// [package.installs] [package.client] [package.extensions] [package.light], and what the quickstart shows of the stack:
// `npm run try:package` has npm install it.
describePackage('links');
