import type { Context } from '../command-context.js';
import type { WireAgent } from '../shapes.js';
import type { Input } from '../terminal.js';
import type { MemoryChanges } from './memory-changes.js';

/** A talk with an agent in the terminal. */
export interface Chat {
  readonly context: Context;
  readonly input: Input;
  agent: WireAgent;
  memory: MemoryChanges;
}
