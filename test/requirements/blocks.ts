import type { Promises } from './requirement.js';

/** Blocks that many share: how they change, what is kept of it, who is told. */
export const blocks: Promises = {
  'block.difference': [
    'Shared blocks 1',
    'The difference of two texts is a unified diff that turns the one into the other.',
  ],
  'block.conflict-difference': [
    'Shared blocks 1',
    'A conflict carries the current value and what changed since the author read it, to agents and over REST.',
  ],
  'block.replace-gone': [
    'Shared blocks 1',
    'A replace whose text somebody else took away is a conflict, and the agent gets a step to merge.',
  ],
  'block.operations-rest': [
    'Shared blocks 1',
    'Every operation can be asked for over REST; one with an idempotency key happens once.',
  ],
  'block.etag': [
    'Shared blocks 1',
    'Reads and writes of a block answer its revision as ETag; every write honours If-Match.',
  ],
  'block.limit-below-value': [
    'Shared blocks 1',
    'A limit below the length of the value is refused with a sentence.',
  ],
  'block.isolated': ['Shared blocks 1', 'Editing a block never touches another.'],
  'block.history': [
    'Shared blocks 2',
    'A block’s revisions are listed page by page with operation, actor, run, step, tool call and time.',
  ],
  'block.diff': ['Shared blocks 2', 'Any two revisions of a block can be compared.'],
  'block.as-of': [
    'Shared blocks 2',
    'The value as of a moment or a revision is the recorded one, for every moment of a thousand random edits.',
  ],
  'block.undo': [
    'Shared blocks 2',
    'Undo and redo are revisions that chain as in an editor: redo after undo is the identity, an edit ends redo.',
  ],
  'block.restore': ['Shared blocks 2', 'An earlier revision can be brought back, as a revision of its own.'],
  'block.blame': ['Shared blocks 2', 'Each line of a value is told with the revision that wrote it.'],
  'block.attached-read-only': [
    'Shared blocks 2',
    'A shared block can be attached to one agent for reading only, over REST too.',
  ],
  'client.blocks': [
    'Shared blocks 2',
    'A program changes blocks and reads their history through the client.',
  ],
  'block.deleted-history': ['Shared blocks 2', 'A deleted block’s history is deleted with it.'],
  'block.follow': [
    'Shared blocks 3',
    'A program follows a block as events, from any revision on, through any server process, also after a restart.',
  ],
  'block.follow-all': [
    'Shared blocks 3',
    'The events of all blocks come in one order, none left out and none twice, though their writers commit out of order.',
  ],
  'block.next-step': [
    'Shared blocks 3',
    'An edit reaches every attached agent at its next step and writes nothing for each of them.',
  ],
  'block.wake': [
    'Shared blocks 3',
    'An agent that asked for it is woken with one message for what others changed meanwhile, unless it has seen it.',
  ],
  'block.wake-ends': [
    'Shared blocks 3',
    'No agent is woken by an edit of its own, nor twice by what follows from one edit: agents that wake each other come to rest.',
  ],
  'block.storm': [
    'Shared blocks, shown',
    'Of the lines that many agents append to one block in real turns, none is lost or doubled, though workers are killed.',
  ],
  'block.storm-mixed': [
    'Shared blocks, shown',
    'Mixed operations of many writers at once leave what a sequential model leaves.',
  ],
  'block.storm-control': [
    'Shared blocks, shown',
    'Writers that write back a copy lose lines in the same storm.',
  ],
};
