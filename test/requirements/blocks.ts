import type { Promises } from './requirement.js';

/** Shared blocks: how they change, which history they keep, and which agents are woken. */
export const blocks: Promises = {
  'block.difference': [
    'Shared blocks 1',
    'The difference between two texts is a unified diff that turns one into the other.',
  ],
  'block.conflict-difference': [
    'Shared blocks 1',
    'A conflict carries the current value and what changed since the author read it, to agents and over REST.',
  ],
  'block.replace-gone': [
    'Shared blocks 1',
    'A replace of a text that somebody else removed is a conflict, and the agent gets a step to merge.',
  ],
  'block.operations-rest': [
    'Shared blocks 1',
    'Every operation is available over REST; one with an idempotency key happens once.',
  ],
  'block.etag': [
    'Shared blocks 1',
    'Reads and writes of a block return its revision as ETag; every write honours If-Match.',
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
    'The value as of a time or a revision is the recorded one, at every moment of a thousand random edits.',
  ],
  'block.undo': [
    'Shared blocks 2',
    'Undo and redo are revisions that chain as in an editor: redo after undo is the identity, an edit ends redo.',
  ],
  'block.restore': ['Shared blocks 2', 'An earlier revision can be restored, as a new revision.'],
  'block.blame': ['Shared blocks 2', 'Each line of a value is shown with the revision that wrote it.'],
  'block.attached-read-only': [
    'Shared blocks 2',
    'A shared block can be attached to one agent read-only, also over REST.',
  ],
  'client.blocks': [
    'Shared blocks 2',
    'A program changes blocks and reads their history through the client.',
  ],
  'block.deleted-history': ['Shared blocks 2', 'A deleted block’s history is deleted with it.'],
  'block.follow': [
    'Shared blocks 3',
    'A program follows a block as events, from any revision on, through any server process, even after a restart.',
  ],
  'block.follow-all': [
    'Shared blocks 3',
    'The events of all blocks arrive in one order, each exactly once, even when their writers commit out of order.',
  ],
  'block.next-step': [
    'Shared blocks 3',
    'An edit reaches every attached agent at its next step and writes nothing for each of them.',
  ],
  'block.wake': [
    'Shared blocks 3',
    'An agent with notify set is woken with one message for what others changed meanwhile, unless it has seen it.',
  ],
  'block.wake-ends': [
    'Shared blocks 3',
    'No agent is woken by its own edit, nor twice by the consequences of one edit: agents that wake each other come to rest.',
  ],
  'block.storm': [
    'Shared blocks, shown',
    'When many agents append lines to one block in real turns, none is lost or doubled, even when workers are killed.',
  ],
  'block.storm-mixed': [
    'Shared blocks, shown',
    'Mixed operations of many concurrent writers have the result of a sequential model.',
  ],
  'block.storm-control': [
    'Shared blocks, shown',
    'Writers that write back a copy lose lines under the same load.',
  ],
};
