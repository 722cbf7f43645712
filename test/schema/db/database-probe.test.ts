import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { openDatabaseProbe } from '../../../schema/db/probe.js';

describe('[rest.health] a probe of the database', () => {
  it('answers false within its deadline when the database accepts a connection and stays silent', async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => held.push(socket.on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const probe = openDatabaseProbe(`postgres://nobody@127.0.0.1:${port}/nothing`, 50);

    const answers = await Promise.all([probe.answers(), probe.answers()]);

    expect(answers).toEqual([false, false]);
    expect(held).toHaveLength(1);
    await probe.close();
    for (const socket of held) socket.destroy();
    silent.close();
  });
});
