import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusedCalls, seccompFilter } from '../../adapters/sandbox/seccomp.js';
import { packageFile } from '../../stack/processes.js';
import { describeEachIsolation, describeIsolated, sandboxModes } from '../support/tools/isolation.js';
import { startToolRunner, type TestToolRunner } from '../support/tools/tool-runners.js';

/** Host processes with this text in their command line. */
function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('It did not become true within 90 s.');
    await delay(50);
  }
}

const attack = (body: string) =>
  `import os, sys, time, socket, subprocess\ndef act():\n${body.replace(/^/gm, '    ')}`;

/** Makes system calls by number, with one argument each. Returns each result and errno. */
const calling = (calls: readonly (readonly [number: number, argument: number])[]) =>
  attack(
    `import ctypes
c = ctypes.CDLL(None, use_errno=True)
c.syscall.restype = ctypes.c_long
long = ctypes.c_long
def call(number, argument):
    ctypes.set_errno(0)
    return [c.syscall(long(number), long(argument), *[long(0)] * 5), ctypes.get_errno()]
return [call(*one) for one in ${JSON.stringify(calls)}]`,
  );

describeIsolated('[tools.attacks] a malicious tool in bubblewrap', () => {
  let runner: TestToolRunner;
  /** For tools that would never end. */
  let hastyRunner: TestToolRunner;
  let elsewhere: Server;

  beforeAll(async () => {
    runner = await startToolRunner('bubblewrap', { timeoutMs: 40_000 });
    hastyRunner = await startToolRunner('bubblewrap', { timeoutMs: 2_000 });
    elsewhere = createServer((connection) => connection.end('reached'));
    await new Promise<void>((resolve) => elsewhere.listen(0, '0.0.0.0', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  const failing = async (body: string, by = runner): Promise<string> => {
    const end = await by.call(attack(body));
    expect(end).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Error executing function act: /),
    });
    // The next tool still runs.
    expect(await runner.call('def act():\n  return "well"')).toMatchObject({ ok: true, message: 'well' });
    return end.message.slice('Error executing function act: '.length);
  };

  it('is stopped in an endless loop', async () => {
    expect(await failing('while True: pass', hastyRunner)).toBe(
      'TimeoutError: it did not end within 2 s and was stopped. What it did until then is done.',
    );
  });

  it('cannot allocate 2 GB at once', async () => {
    expect(await failing('return len(bytearray(2 << 30))')).toMatch(/^MemoryError: /);
  });

  it('is stopped when several processes take 2 GB', async () => {
    const body = [
      'for _ in range(8):',
      '    if os.fork() == 0:',
      '        kept = b"x" * (256 << 20)',
      '        time.sleep(60)',
      'time.sleep(60)',
    ].join('\n');

    expect(await failing(body)).toBe('MemoryError: it used more than 1024 MB of memory and was stopped.');
  });

  it('cannot create unlimited processes', async () => {
    const bomb = ['while True:', '    try: os.fork()', '    except OSError as error: refused = error'];
    const counted = [
      'count = 0',
      'try:',
      '    while count < 1000:',
      '        if os.fork() == 0: time.sleep(60)',
      '        count += 1',
      'except BlockingIOError as error:',
      '    return f"{count < 64} {error}"',
    ];

    expect(await runner.call(attack(counted.join('\n')))).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^True .*Resource temporarily unavailable/),
    });
    expect(await failing(bomb.join('\n'), hastyRunner)).toMatch(/^(TimeoutError|MemoryError): it /);
  });

  it.each(['/etc/shadow', '/etc/passwd', packageFile('package.json'), '/proc/1/environ', '/root/.profile'])(
    'cannot read %s',
    async (path) => {
      expect(await failing(`return open(${JSON.stringify(path)}).read()`)).toMatch(
        /^(FileNotFoundError|PermissionError): /,
      );
    },
  );

  it('sees no other process and no file of the machine', async () => {
    const end = await runner.call(
      attack(
        'here = [entry for entry in os.listdir("/proc") if entry.isdigit()]\nreturn [sorted(os.listdir("/")), len(here) < 5, os.getuid() != 0, os.listdir("/tmp")]',
      ),
    );

    expect(JSON.parse(end.message)).toEqual([
      expect.not.arrayContaining(['home', 'root', 'var', 'work', 'opt', 'run', 'sys']),
      true,
      true,
      [],
    ]);
  });

  it('cannot reach the network', async () => {
    const { port } = elsewhere.address() as AddressInfo;

    expect(await failing(`socket.create_connection(("127.0.0.1", ${port}), 3)`)).toMatch(
      /^ConnectionRefusedError: /,
    );
    expect(await failing('socket.create_connection(("192.0.2.1", 80), 3)')).toMatch(
      /^OSError: .*Network is unreachable/,
    );
    expect(await failing('socket.getaddrinfo("example.org", 80)')).toMatch(
      /^gaierror: .* \(Tools have no network access except to this server\.\)$/,
    );
  });

  it('is stopped after 16 MB of output, and little of it is kept', async () => {
    const end = await runner.call(attack('for _ in range(200): os.write(1, b"x" * (1 << 20))'));

    expect(end.message).toBe(
      'Error executing function act: OutputError: it wrote more than 16 MB of output and was stopped.',
    );
    expect(end.stdout.join('').length).toBeLessThan(1_100_000);
  });

  it('is stopped when its result is endless', async () => {
    const body = [
      'for fd in sorted(int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2):',
      '    try:',
      '        for _ in range(200): os.write(fd, b"x" * (1 << 20))',
      '    except OSError: pass',
    ].join('\n');

    expect(await failing(body)).toBe('OutputError: it wrote more than 16 MB of output and was stopped.');
  });

  it('cannot write a file of 200 MB, or many smaller ones', async () => {
    expect(await failing('open("/tmp/big", "wb").write(b"x" * (200 << 20))')).toMatch(
      /^OSError: .*File too large/,
    );
    expect(await failing('for n in range(9): open(f"/tmp/{n}", "wb").write(b"x" * (20 << 20))')).toMatch(
      /^OSError: .*No space left/,
    );
    expect(await failing('open("/usr/lib/mine", "w")')).toMatch(/^(OSError|PermissionError): /);
    expect(await failing('open("/mine", "w")')).toMatch(/^(OSError|PermissionError): /);
  });

  it('is stopped when it creates too many files, even empty ones', async () => {
    const body = 'for n in range(400_000): open(f"/tmp/{n}", "w").close()\nreturn len(os.listdir("/tmp"))';

    expect(await failing(body)).toBe('FilesError: it made more than 20000 files and was stopped.');
  });

  it('cannot open more than 256 files', async () => {
    const body = 'held = [os.pipe() for _ in range(1_000)]';

    expect(await failing(body)).toMatch(/^OSError: .*Too many open files/);
    const node =
      'import { openSync } from "node:fs";\nexport function act() { for (;;) openSync("/dev/null", "r"); }';
    expect((await runner.call(node, { sourceType: 'typescript' })).message).toMatch(/EMFILE/);
  });

  it.each(['/tmp', '/dev/shm'])('gets only the memory of its files through %s', async (directory) => {
    const body = `for n in range(90): open(f"${directory}/{n}", "wb").write(b"x" * (1 << 20))`;

    expect(await failing(body)).toMatch(/^OSError: .*No space left/);
  });

  it('cannot write to /dev except to its devices', async () => {
    expect(await failing('open("/dev/mine", "w")')).toMatch(/^OSError: .*Read-only file system/);
    expect(await runner.call(attack('open("/dev/null", "w").write("x")\nreturn "well"'))).toMatchObject({
      ok: true,
    });
  });

  it('cannot allocate memory outside files and processes', async () => {
    const refused = (call: string) => `
ctypes.set_errno(0)
said.append([${call}, ctypes.get_errno()])`;
    const body = [
      'import ctypes',
      'c = ctypes.CDLL(None, use_errno=True)',
      'said = []',
      refused('c.memfd_create(b"x", 0)'),
      refused('c.shmget(0, 1 << 28, 0o1600)'),
      refused('c.msgget(0, 0o1600)'),
      refused('c.semget(0, 1, 0o1600)'),
      'return said',
    ].join('\n');

    expect(JSON.parse((await runner.call(attack(body))).message)).toEqual(
      Array.from({ length: 4 }, () => [-1, 1]),
    );
  });

  it('is refused every listed system call', async () => {
    const calls = refusedCalls();
    const { message } = await runner.call(calling(Object.values(calls).map((number) => [number, 0])));

    expect(JSON.parse(message)).toEqual(Object.keys(calls).map(() => [-1, 1]));
  });

  it('cannot create a namespace with clone', async () => {
    const clone = process.arch === 'x64' ? 56 : 220;
    // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; 17 is SIGCHLD.
    const flags = [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000];

    const { message } = await runner.call(calling(flags.map((flag) => [clone, flag + 17])));
    expect(JSON.parse(message)).toEqual(flags.map(() => [-1, 1]));
  });

  it('finds no clone3, so that the C library uses clone', async () => {
    const threads =
      'import threading\nthread = threading.Thread(target=print)\nthread.start()\nthread.join()\nreturn "well"';

    expect(JSON.parse((await runner.call(calling([[435, 0]]))).message)).toEqual([[-1, 38]]);
    expect(await runner.call(attack(threads))).toMatchObject({ ok: true, message: 'well' });
    expect(
      await runner.call(attack('return subprocess.check_output(["echo", "well"]).decode()')),
    ).toMatchObject({
      ok: true,
      message: 'well\n',
    });
  });

  const onAmd64 = process.arch === 'x64' ? it : it.skip;
  onAmd64('cannot use system call numbers of other processors', async () => {
    // getpid of x32, and of i386 by an interrupt: mov eax, 20; int 0x80; ret.
    const interrupt = [
      'import ctypes, mmap',
      'code = mmap.mmap(-1, 4096, prot=7)',
      'code.write(bytes.fromhex("b814000000cd80c3"))',
      'return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()',
    ].join('\n');

    expect(JSON.parse((await runner.call(calling([[0x40000000 + 39, 0]]))).message)).toEqual([[-1, 1]]);
    // 128 + SIGSYS.
    expect(await failing(interrupt)).toMatch(/its process ended without a result \(exit code 159\)/);
  });

  it('cannot kill its parent or any other process', async () => {
    const before = process.pid;
    const body = [
      'said = []',
      'for pid in [os.getppid(), 1, -1, ' + String(before) + ']:',
      '    try: os.kill(pid, 9)',
      '    except OSError as error: said.append(type(error).__name__)',
      'return said',
    ].join('\n');

    const end = await runner.call(attack(body));

    // A signal to -1 reaches every process that it may signal, except the sender. No other process is its own.
    expect(end.ok ? JSON.parse(end.message) : end.message).toEqual([
      'PermissionError',
      'PermissionError',
      expect.stringMatching(/^(PermissionError|ProcessLookupError)$/),
      'ProcessLookupError',
    ]);
  });

  it('leaves no process behind however it ends', async () => {
    const mark = `perdure-left-${process.pid}`;
    const leaving = (then: string) =>
      `subprocess.Popen(["sh", "-c", "sleep 300; echo ${mark}"], start_new_session=True)\n${then}`;

    await runner.call(attack(leaving('return 1')));
    await hastyRunner.call(attack(leaving('time.sleep(60)')));

    await until(() => processesWith(mark).length === 0);
    expect(processesWith(mark)).toEqual([]);
  });
});

describeEachIsolation('[tools.dies-with-worker] a tool whose worker is killed, in %s', (isolation) => {
  it('ends with the worker', async () => {
    const mark = `perdure-orphan-${process.pid}-${isolation}`;
    const program = `
      const { openSandbox } = await import(${JSON.stringify(packageFile('adapters/sandbox/open-sandbox.ts'))});
      const sandbox = await openSandbox({ mode: '${sandboxModes[isolation]}', warn: () => undefined });
      await sandbox.run({ command: ['/bin/sh', '-c', 'sleep 300; echo ${mark}'], input: '', readable: [], timeoutMs: 300000 });`;
    const file = `/tmp/${mark}.mts`;
    writeFileSync(file, program);
    const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', file], {
      cwd: packageFile('.'),
      stdio: 'ignore',
    });
    await until(() => processesWith(`echo ${mark}`).length > 0);

    child.kill('SIGKILL');

    await until(() => processesWith(`echo ${mark}`).length === 0);
    expect(processesWith(`echo ${mark}`)).toEqual([]);
    rmSync(file);
  });
});

describe('[tools.attacks] the system call filter', () => {
  it.each(['x64', 'arm64'])('consists of whole instructions and terminates, for %s', (architecture) => {
    const filter = seccompFilter(architecture);
    const calls = Object.values(refusedCalls(architecture));

    expect(filter?.length).toBe((calls.length + 12) * 8);
    expect(new Set(calls).size).toBe(calls.length);
    // Every jump leads to an instruction.
    const count = (filter?.length ?? 0) / 8;
    for (let index = 0; index < count; index += 1) {
      const farthest = Math.max(filter?.[index * 8 + 2] ?? 0, filter?.[index * 8 + 3] ?? 0);
      expect(index + 1 + farthest).toBeLessThanOrEqual(index === count - 1 ? count : count - 1);
    }
  });

  it('does not exist for unknown processors', () => {
    expect(seccompFilter('riscv64')).toBeUndefined();
  });
});
