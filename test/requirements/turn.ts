import type { Promises } from './requirement.js';

/** Requirements of the turn's speed and of what it leaves behind. */
export const turn: Promises = {
  'turn.timeline': [
    'Rule: story',
    'A turn’s history on the server reads like its story: claim, model calls, tools and block edits by name, evictions, close; in that order, however fast the model is.',
  ],
  'turn.bounded': [
    'Rule: histories',
    'No execution grows with the conversation, even when a client answers each turn at once.',
  ],
  'turn.step-limit': ['Cost', 'However a turn begins, it has at most 50 steps by default.'],
  'turn.cut-arguments': [
    'Memory at risk',
    'Arguments that were cut off anywhere are never completed and never run, whatever the provider says; the model reads at which length, and gets another step.',
  ],
  'turn.output-limit': [
    'Tools',
    'A tool’s output that is longer than its limit is truncated there, and the model reads both figures.',
  ],
  'turn.tool-fault': [
    'Issue 3, leftovers',
    'A tool that fails in every attempt becomes a result that says so within the time limit for tools, and the agent continues.',
  ],
  'turn.join-window': [
    'Issue 3, leftovers',
    'A blind retry joins the turn that its first attempt may have begun, and never one that is older than that attempt.',
  ],
  'turn.sweep-faults': [
    'Rule: resumption',
    'The sweep holds no transaction while it rings, and a bell that fails blocks no other.',
  ],
  'turn.deadly': [
    'Rule: deaths',
    'A worker or server that makes no progress for 15 s ends itself; a turn that brings three workers in a row to that, or with which ten die, without completing a step between, ends as failed, and other turns continue.',
  ],
  'turn.death-seen': [
    'Rule: deaths',
    'The work of a dead worker moves to a living one as soon as the death is seen, long before a keep-alive is missed.',
  ],
  'turn.paused-worker': [
    'Rule: deaths',
    'A worker that pauses for a while is not dead: its model call is not made a second time.',
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
    'A turn of very many steps continues in new executions, each from where the last one stopped, and ends normally.',
  ],
  'turn.retry-after': [
    'Rule: time',
    'A provider whose retry-after is hours ends the turn with a defined stop reason within the time limit for a model call, even at the first step.',
  ],
  'turn.small-fences': ['Rule: fence', 'Nothing that a dead execution begins or learns has an effect.'],
};
