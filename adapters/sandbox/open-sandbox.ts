import { bubblewrap } from './bubblewrap.js';
import { type Limits, standardLimits } from './limits.js';
import { findMemoryGroups, type MemoryGroups } from './memory-groups.js';
import { plainProcess } from './plain-process.js';
import { runBounded } from './run-bounded.js';
import {
  type Launcher,
  type Sandbox,
  type SandboxedCommand,
  SandboxError,
  type SandboxMode,
} from './sandbox.js';
import { startProgram } from './start-program.js';

/**
 * Opens the best sandbox that this machine has and the mode allows. Warns once where needed. Throws SandboxError
 * where the mode is `strict` and none works.
 */
export async function openSandbox(options: {
  readonly mode: SandboxMode;
  readonly limits?: Partial<Limits>;
  readonly warn: (message: string) => void;
}): Promise<Sandbox> {
  const limits = { ...standardLimits, ...options.limits };
  const { mode, warn } = options;
  if (mode !== 'process') {
    const { sandbox, fault } = await tryLauncher(bubblewrap(), limits);
    if (fault === undefined) return sandbox;
    if (mode === 'strict') {
      throw new SandboxError(
        `Custom tools do not run, because TOOL_SANDBOX is strict and bubblewrap does not work here: ${fault}. Install bubblewrap and util-linux and allow namespaces, or set TOOL_SANDBOX.`,
      );
    }
    warn(
      `CUSTOM TOOLS ARE NOT ISOLATED: bubblewrap does not work here (${fault}). They run as plain processes, which can read files and reach the network. Install bubblewrap, or set TOOL_SANDBOX=strict to refuse them.`,
    );
  } else {
    warn(
      'CUSTOM TOOLS ARE NOT ISOLATED, because TOOL_SANDBOX is process: they can read files and reach the network.',
    );
  }
  return (await tryLauncher(plainProcess(), limits)).sandbox;
}

/** Tries memory groups first. The fault is the one without them. */
async function tryLauncher(launcher: Launcher, limits: Limits) {
  const groups = findMemoryGroups();
  if (groups !== undefined) {
    const counted = toSandbox(launcher, limits, groups);
    if ((await faultOf(counted)) === undefined) return { sandbox: counted, fault: undefined };
  }
  const sandbox = toSandbox(launcher, limits, undefined);
  return { sandbox, fault: await faultOf(sandbox) };
}

function toSandbox(launcher: Launcher, limits: Limits, groups: MemoryGroups | undefined): Sandbox {
  const prepare = (program: SandboxedCommand) => {
    const launch = launcher.launch(program, limits);
    const group = groups?.make(limits.memoryBytes);
    const end = (): void => {
      launch.end();
      group?.end();
    };
    return { launch, group, end };
  };
  return {
    isolation: launcher.isolation,
    memory: groups === undefined ? 'watched' : 'counted',
    limits,
    async run(program) {
      const { end, ...prepared } = prepare(program);
      try {
        return await runBounded(program, prepared, limits);
      } finally {
        end();
      }
    },
    start(program) {
      const { end, ...prepared } = prepare(program);
      const wasExceeded = () => prepared.group?.wasExceeded() ?? false;
      return { child: startProgram(prepared), wasExceeded, end };
    },
  };
}

const probeMs = 10_000;

/** Why the sandbox does not work here; undefined where it does. */
async function faultOf(sandbox: Sandbox): Promise<string | undefined> {
  try {
    const end = await sandbox.run({
      command: ['/bin/sh', '-c', 'echo works >&3'],
      input: '',
      readable: [],
      timeoutMs: probeMs,
    });
    return end.answer === 'works\n' ? undefined : (end.stderr.trim().split('\n').at(-1) ?? 'it says nothing');
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    throw error;
  }
}
