import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { startToolRunner, type TestToolRunner } from '../support/tool-runners.js';

/** Host processes whose command line holds this text. */
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

describe('[tools.attacks] a tool that means harm, in bubblewrap', () => {
  const timeoutMs = 6_000;
  let runner: TestToolRunner;
  let patientRunner: TestToolRunner;
  let elsewhere: Server;

  beforeAll(async () => {
    runner = await startToolRunner('bubblewrap', { timeoutMs });
    patientRunner = await startToolRunner('bubblewrap', { timeoutMs: 40_000 });
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
    // What is next to run is not hurt.
    expect(await runner.call('def act():\n  return "well"')).toMatchObject({ ok: true, message: 'well' });
    return end.message.slice('Error executing function act: '.length);
  };

  it('is stopped in an endless loop', async () => {
    expect(await failing('while True: pass')).toBe(
      'TimeoutError: it did not end within 6 s and was stopped. What it did until then is done.',
    );
  });

  it('gets no 2 GB of memory at once', async () => {
    expect(await failing('return len(bytearray(2 << 30))')).toMatch(/^MemoryError: /);
  });

  it('is stopped with 2 GB in several processes', async () => {
    const body = [
      'for _ in range(8):',
      '    if os.fork() == 0:',
      '        kept = b"x" * (256 << 20)',
      '        time.sleep(60)',
      'time.sleep(60)',
    ].join('\n');

    // Touching a gigabyte takes its time on a busy machine.
    expect(await failing(body, patientRunner)).toBe(
      'MemoryError: it used more than 1024 MB of memory and was stopped.',
    );
  });

  it('gets no processes without end', async () => {
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
    expect(await failing(bomb.join('\n'))).toMatch(/^(TimeoutError|MemoryError): it /);
  });

  it.each(['/etc/shadow', '/etc/passwd', packageFile('package.json'), '/proc/1/environ', '/root/.profile'])(
    'does not read %s',
    async (path) => {
      expect(await failing(`return open(${JSON.stringify(path)}).read()`)).toMatch(
        /^(FileNotFoundError|PermissionError): /,
      );
    },
  );

  it('sees no process and no file of the machine', async () => {
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

  it('reaches no network', async () => {
    const { port } = elsewhere.address() as AddressInfo;

    expect(await failing(`socket.create_connection(("127.0.0.1", ${port}), 3)`)).toMatch(
      /^ConnectionRefusedError: /,
    );
    expect(await failing('socket.create_connection(("192.0.2.1", 80), 3)')).toMatch(
      /^OSError: .*Network is unreachable/,
    );
    expect(await failing('socket.getaddrinfo("example.org", 80)')).toMatch(
      /^gaierror: .* \(Tools reach this server and nothing else of the network\.\)$/,
    );
  });

  it('is stopped after 16 MB of output, of which little is kept', async () => {
    const end = await runner.call(attack('for _ in range(200): os.write(1, b"x" * (1 << 20))'));

    expect(end.message).toBe(
      'Error executing function act: OutputError: it wrote more than 16 MB of output and was stopped.',
    );
    expect(end.stdout.join('').length).toBeLessThan(1_100_000);
  });

  it('is stopped when its result has no end', async () => {
    const body = [
      'for fd in sorted(int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2):',
      '    try:',
      '        for _ in range(200): os.write(fd, b"x" * (1 << 20))',
      '    except OSError: pass',
    ].join('\n');

    expect(await failing(body)).toBe('OutputError: it wrote more than 16 MB of output and was stopped.');
  });

  it('writes no file of 200 MB, nor many small ones', async () => {
    expect(await failing('open("/tmp/big", "wb").write(b"x" * (200 << 20))')).toMatch(
      /^OSError: .*File too large/,
    );
    expect(await failing('for n in range(9): open(f"/tmp/{n}", "wb").write(b"x" * (20 << 20))')).toMatch(
      /^OSError: .*No space left/,
    );
    expect(await failing('open("/usr/lib/mine", "w")')).toMatch(/^(OSError|PermissionError): /);
    expect(await failing('open("/mine", "w")')).toMatch(/^(OSError|PermissionError): /);
  });

  it('can’t kill what started it, nor anything else', async () => {
    const before = process.pid;
    const body = [
      'said = []',
      'for pid in [os.getppid(), 1, -1, ' + String(before) + ']:',
      '    try: os.kill(pid, 9)',
      '    except OSError as error: said.append(type(error).__name__)',
      'return said',
    ].join('\n');

    const end = await runner.call(attack(body));

    // Signalling -1 reaches all that it may: itself is left out, and the rest is not its own.
    expect(end.ok ? JSON.parse(end.message) : end.message).toEqual([
      'PermissionError',
      'PermissionError',
      expect.stringMatching(/^(PermissionError|ProcessLookupError)$/),
      'ProcessLookupError',
    ]);
  });

  it('leaves no process behind, however it ends', async () => {
    const mark = `perdure-left-${process.pid}`;
    const leaving = (then: string) =>
      `subprocess.Popen(["sh", "-c", "sleep 300; echo ${mark}"], start_new_session=True)\n${then}`;

    await runner.call(attack(leaving('return 1')));
    await runner.call(attack(leaving('time.sleep(60)')));

    await until(() => processesWith(mark).length === 0);
    expect(processesWith(mark)).toEqual([]);
  });
});

describe('[tools.dies-with-worker] a tool whose worker is killed', () => {
  it.each(['strict', 'process'])(
    'ends with it, with TOOL_SANDBOX=%s',
    async (mode) => {
      const mark = `perdure-orphan-${process.pid}-${mode}`;
      const program = `
      const { openSandbox } = await import(${JSON.stringify(packageFile('adapters/sandbox/open-sandbox.ts'))});
      const sandbox = await openSandbox({ mode: '${mode}', warn: () => undefined });
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
    },
    60_000,
  );
});
