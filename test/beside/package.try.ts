import { describePackage } from '../support/package-checks.js';

describePackage('npm');
