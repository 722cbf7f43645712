import { readFileSync } from 'node:fs';

/** The files of each program, in the order in which they are run. `main.py` starts it. */
const programs = {
  describe: ['annotations', 'docstrings', 'main'],
  runner: ['agent_state', 'arguments', 'api', 'main'],
} as const;

/** A Python program as one source, for `python -c`: in a sandbox it has no files to import. */
export function pythonProgram(name: keyof typeof programs): string {
  return programs[name]
    .map((file) => readFileSync(new URL(`${name}/${file}.py`, import.meta.url), 'utf8'))
    .join('\n\n');
}
