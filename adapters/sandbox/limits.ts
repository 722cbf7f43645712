/** What a sandboxed program may use. */
export interface Limits {
  /** Of all its processes together. */
  readonly memoryBytes: number;
  /** Of each of its processes: what it asks for beyond this it doesn't get. */
  readonly addressSpaceBytes: number;
  /** Of each file that it writes. */
  readonly fileBytes: number;
  /** Of all files that it writes. */
  readonly diskBytes: number;
  readonly processes: number;
  /** Files, sockets and pipes that each of its processes has open. */
  readonly openFiles: number;
  /** Files and directories that there are at once, empty ones too: each takes memory of the kernel's. */
  readonly files: number;
  /** Of each of its streams: what is kept. */
  readonly keptOutputBytes: number;
  /** Of each of its streams: beyond this it is stopped. */
  readonly outputBytes: number;
}

const mebibyte = 1024 * 1024;

export const standardLimits: Limits = {
  memoryBytes: 1024 * mebibyte,
  addressSpaceBytes: 2048 * mebibyte,
  fileBytes: 32 * mebibyte,
  diskBytes: 64 * mebibyte,
  processes: 64,
  openFiles: 256,
  files: 20_000,
  keptOutputBytes: mebibyte,
  outputBytes: 16 * mebibyte,
};
