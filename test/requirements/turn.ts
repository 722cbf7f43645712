import type { Promises } from './requirement.js';

/** Requirements of the turn's speed and of what it leaves behind. */
export const turn: Promises = {
  'turn.timeline': [
    'Rule: story',
    'A turn’s history on the server reads like its story: claim, model calls, tools and block edits by name, evictions, close; in that order, however fast the model is.',
  ],
  'turn.bounded': [
    'Rule: histories',
    'A client that answers each turn at once makes no execution grow with the conversation.',
  ],
  'turn.step-limit': ['Cost', 'However a turn begins, it has at most 50 steps where nobody said how many.'],
  'turn.cut-arguments': [
    'Memory at risk',
    'Arguments that were cut off anywhere are never completed and never run, whatever the provider says; the model is told at what length, and gets another step.',
  ],
  'turn.output-limit': [
    'Tools',
    'A tool’s output that is longer than its limit is cut off there, and the model is told so with both figures.',
  ],
  'turn.tool-fault': [
    'Issue 3, leftovers',
    'A tool that fails whenever it is tried becomes a result that says so within the time for tools, and the agent goes on.',
  ],
  'turn.join-window': [
    'Issue 3, leftovers',
    'A blind retry joins the turn that its first try can have begun, and never one that is older than that try.',
  ],
  'turn.sweep-faults': [
    'Rule: resumption',
    'The sweep holds no transaction while it rings, and a bell that fails keeps no other from ringing.',
  ],
  'turn.deadly': [
    'Rule: deaths',
    'A worker or server in which nothing goes on for 15 s ends itself; a turn that brought three workers in a row to that, or ten died with, without a step of it between, ends as failed, and other turns go on.',
  ],
  'turn.death-seen': [
    'Rule: deaths',
    'What a dead worker was at goes to a living one as soon as the death is seen, long before a keep-alive is missed.',
  ],
  'turn.paused-worker': [
    'Rule: deaths',
    'A worker that stands still for a while is not dead: nobody makes its model call a second time.',
  ],
  'turn.newest-attempt': [
    'Rule: answers',
    'Only the newest attempt of a step stores an answer or logs fragments of one.',
  ],
  'turn.answer-kept': [
    'Rule: answers',
    'A model’s answer is kept through an outage of the database, and stored once.',
  ],
  'turn.long': [
    'Rule: histories',
    'A turn of very many steps goes on in new executions, each from where the one before stopped, and ends by itself.',
  ],
  'turn.retry-after': [
    'Rule: time',
    'A provider that asks for hours ends the turn in a defined stop reason within the time for a model call, also at the first step.',
  ],
  'turn.small-fences': ['Rule: fence', 'What a dead execution begins or learns changes nothing.'],
};
