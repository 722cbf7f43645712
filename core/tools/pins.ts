import { pinLimits } from '../archives/pins.js';
import { parameters, type BuiltinTool } from './builtin-tool.js';

const passageId = {
  type: 'string',
  description: 'Its id, as searches of your archival memory show it: passage-…',
};

/** Pins a passage into the context. */
export const archivalMemoryPin: BuiltinTool = {
  name: 'archival_memory_pin',
  toolType: 'letta_core',
  description: `Pins a passage of your archival memory: it stays in your context until you unpin it. At most ${pinLimits.passages} passages of ${pinLimits.characters} characters together can be pinned.`,
  parameters: parameters({ passage_id: passageId }),
  tags: ['letta_core'],
  effect: 'transactional',
};

/** Unpins a passage. */
export const archivalMemoryUnpin: BuiltinTool = {
  name: 'archival_memory_unpin',
  toolType: 'letta_core',
  description: 'Unpins a passage: it leaves your context and stays in your archival memory.',
  parameters: parameters({ passage_id: passageId }),
  tags: ['letta_core'],
  effect: 'transactional',
};
