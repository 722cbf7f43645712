import type { Promises } from './requirement.js';

/** Requirements of the turn's speed and of what it leaves behind. */
export const turn: Promises = {
  'fold.together': [
    'Issue 3, speed',
    'A model’s answer, what its row-changing tools did and the end of the turn it ends are stored together or not at all.',
  ],
  'fold.alone': [
    'Issue 3, speed',
    'What fails beside an answer costs no answer: it is stored alone, and its tools are run by themselves.',
  ],
  'fold.repeated': [
    'Issue 3, speed',
    'A step that is run again after its end was not heard of says what it said, and nothing happens twice.',
  ],
  'fold.begins': [
    'Issue 3, speed',
    'An execution takes the first steps of the turn that it was rung for with its delivery, within the time of a model call; of another turn, the delivery alone.',
  ],
  'fold.goes-on': [
    'Issue 3, speed',
    'Steps that leave nothing to the workflow follow each other within one activity while nearly all of its time is left; an older one hands over, also where it walks through stored steps, and none is paid for twice.',
  ],
  'fold.hands-over': [
    'Issue 3, speed',
    'A step that finds the context full, or calls what waits for the world, is handed to the workflow with all before it.',
  ],
  'fold.last': [
    'Issue 3, speed',
    'Statements that travel with a transaction’s commit are part of it: all are committed, or none.',
  ],
  'fold.bounded': [
    'Issue 3, speed',
    'Whoever answers a turn at once rings its closing execution; an older one goes on as a new one, so that no history grows with a conversation.',
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
  'turn.alive-once': [
    'Issue 3, kill sweep',
    'An attempt of a model call that a living worker has in hand is waited for, not paid for again, though Temporal gave it up; a dead worker’s is taken over at once.',
  ],
  'turn.alive-forgotten': [
    'Issue 3, kill sweep',
    'A model call that Temporal has forgotten goes on for as long as its turn is its own and its worker stays.',
  ],
  'turn.alive-failed': [
    'Issue 3, kill sweep',
    'What a model call came to that Temporal has forgotten is what the attempt that waits for it comes to: it pauses as asked, and asks no more where it was refused.',
  ],
  'turn.alive-wedged': [
    'Issue 3, kill sweep',
    'A worker of which nothing is heard for too long holds no turn: its model call is made again, and its late answer is turned away.',
  ],
  'turn.alive-tool': [
    'Issue 3, kill sweep',
    'A tool that a living worker runs is waited for and not run again, though Temporal gave it up, and its result is the call’s; the run is ended where the call has another.',
  ],
  'turn.small-fences': ['Rule: fence', 'What a dead execution begins or learns changes nothing.'],
};
