/** Resource limits of a sandboxed program. */
export interface Limits {
  /** All its processes together. */
  readonly memoryBytes: number;
  /** Each process: larger allocations fail. */
  readonly addressSpaceBytes: number;
  /** Each file. */
  readonly fileBytes: number;
  /** All files together. */
  readonly diskBytes: number;
  readonly processes: number;
  /** Open files, sockets and pipes of each process. */
  readonly openFiles: number;
  /** Files and directories at once, even empty ones, which take kernel memory. */
  readonly files: number;
  /** Kept output of each stream. */
  readonly keptOutputBytes: number;
  /** Output of each stream at which the program is stopped. */
  readonly outputBytes: number;
}

const mebibyte = 1024 * 1024;

/** The default limits. */
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
