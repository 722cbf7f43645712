import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { packageFile } from '../../stack/processes.js';

/** Published versions of Letta's official Python client that perdure is tested with. */
export type PythonClient = '0.1.172' | '1.12.1';

/** The interpreter that has this client installed. Installs it first where it is not there: some ten seconds, once. */
export async function pythonWith(version: PythonClient): Promise<string> {
  const python = packageFile(`.cache/python/${version}/bin/python`);
  if (!existsSync(python)) {
    await promisify(execFile)('sh', [packageFile('test/conformance/python-clients.sh'), version]);
  }
  return python;
}
