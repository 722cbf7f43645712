import { describe, expect, it } from '@jest/globals';
import { boundIntake, countEvents, countLines } from '../../adapters/mcp/intake.js';
import type { McpError } from '../../adapters/mcp/mcp-server.js';

const bytes = (text: string) => Buffer.from(text);

/** How many of these pieces are accepted, and the error for the first that is not. */
function taken(pieces: readonly (readonly [size: number, messages: number])[]) {
  const said: McpError[] = [];
  const take = boundIntake('The server', (error) => said.push(error));
  const count = pieces.filter(([size, messages]) => take(Buffer.alloc(size), messages)).length;
  return { count, said: said.map(({ kind, message }) => `${kind}: ${message}`) };
}

describe('[wire.mcp] the limit on what an MCP server sends', () => {
  it.each([
    ['event: message\ndata: {}\n\n', 1],
    ['id: 1\nevent: message\ndata: {\ndata: }\n\ndata: {}\n\n', 2],
    ['id: 1\r\ndata: {}\r\n\r\n', 1],
    ['data: {}\r\rdata: {}\r\r', 2],
    ['data: {}\n', 0],
    ['\n\n', 2],
    [`${'data: 1\n'.repeat(9)}\n`, 1],
    [`${'x: 1\n'.repeat(25)}\n`, 3],
  ])('counts %j as %d events, however it is split', (text, events) => {
    const count = countEvents();
    expect(count(bytes(text))).toBe(events);

    const countBytes = countEvents();
    let sum = 0;
    for (const byte of bytes(text)) sum += countBytes(Uint8Array.of(byte));
    expect(sum).toBe(events);
  });

  it('counts one message per line of a process', () => {
    expect(countLines(bytes('{}\n{}\n{'))).toBe(2);
  });

  it('is 5,000 messages', () => {
    const said = ['protocol: The server sent more than any answer can need, and was cut off.'];
    expect(
      taken([
        [9, 4_999],
        [9, 1],
      ]),
    ).toEqual({ count: 2, said: [] });
    expect(
      taken([
        [9, 4_999],
        [9, 2],
        [9, 0],
      ]),
    ).toEqual({ count: 1, said });
  });

  it('is 16 MB', () => {
    const said = ['protocol: The server sent more than any answer can need, and was cut off.'];
    expect(
      taken([
        [2 ** 24, 0],
        [1, 0],
        [1, 0],
      ]),
    ).toEqual({ count: 1, said });
  });
});
