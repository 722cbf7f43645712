import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runCli } from '../support/cli/fake-terminal.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const execute = promisify(execFile);
const isThere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
const inZsh = isThere('zsh') ? it : it.skip;
const inFish = isThere('fish') ? it : it.skip;

/** The typed words, and their only completion. */
const only = [
  ['bl', 'blocks'],
  ['agents c', 'agents create'],
  ['sleep schedules res', 'sleep schedules resume'],
  ['agents show ada --js', 'agents show ada --json'],
  ['--json agents l', '--json agents list'],
  ['--url http://localhost agents l', '--url http://localhost agents list'],
  ['agents import ./on', 'agents import ./one.af'],
] as const;

describe('shell completion', () => {
  let directory: string;

  beforeAll(async () => {
    directory = makeTemporaryDirectory('completion');
    writeFileSync(join(directory, 'one.af'), '');
    for (const shell of ['bash', 'zsh', 'fish'])
      writeFileSync(join(directory, shell), (await runCli(['completion', shell], {})).output);
  });

  const run = async (program: string, ...args: readonly string[]): Promise<string> => {
    const options = { cwd: directory, env: { ...process.env, HOME: directory, XDG_DATA_HOME: directory } };
    return (await execute(program, args, { ...options, timeout: 170_000 })).stdout;
  };

  it('[cli.completion] offers commands and options in bash', async () => {
    const complete = async (typed: string): Promise<string> => {
      const words = typed.split(' ');
      const line = ['perdure', ...words].map((word) => `'${word}'`).join(' ');
      const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _perdure; echo "\${COMPREPLY[@]}"`;
      return (await run('bash', '-c', `source ./bash; ${ask}`)).trim();
    };

    expect(await complete('bl')).toBe('blocks');
    expect(await complete('agents c')).toBe('create');
    expect(await complete('sleep schedules res')).toBe('resume');
    expect(await complete('agents show ada --js')).toBe('--json');
    expect(await complete('--url http : //localhost agents l')).toBe('list');
    expect(await complete('sleep ')).toBe('run list show accept reject schedules');
  });

  inZsh.each(only)('[cli.completion] completes what can follow in zsh: %s', async (typed, completed) => {
    // A shell at a terminal: Tab completes the line, and then the line is run.
    const ask = `zmodload zsh/zpty; zpty shell zsh -f -i
      zpty -w shell 'autoload -U compinit; compinit -u -D; source ./zsh; perdure() { print -r -- "ran: $*;" }; echo rea""dy'
      zpty -r shell out '*ready*'
      zpty -w shell 'perdure ${typed}'$'\\t'
      zpty -r shell out '*ran: *;*'
      print -r -- "$out"`;

    expect(await run('zsh', '-f', '-c', ask)).toContain(`ran: ${completed};`);
  });

  inFish.each(only)('[cli.completion] completes what can follow in fish: %s', async (typed, completed) => {
    const offered = await run('fish', '--no-config', '-c', `source ./fish; complete -C 'perdure ${typed}'`);

    expect(offered.trim()).toBe(completed.split(' ').at(-1));
  });

  inFish('[cli.completion] offers no options in fish where commands can follow', async () => {
    const offered = await run('fish', '--no-config', '-c', "source ./fish; complete -C 'perdure sleep '");

    expect(offered.trim().split('\n').sort()).toEqual([
      'accept',
      'list',
      'reject',
      'run',
      'schedules',
      'show',
    ]);
  });

  it('[cli.completion] refuses an unknown shell', async () => {
    expect(await runCli(['completion', 'csh'], {})).toMatchObject({ code: 2 });
  });
});
