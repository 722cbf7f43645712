import type { Promises } from './requirement.js';

const stack: Promises = {
  'stack.up': [
    'Foundation 1',
    'One command brings up PostgreSQL, Temporal, worker and server, and prints the addresses of the API, its docs and the Temporal UI.',
  ],
  'stack.quickstart': [
    'Foundation 1',
    'The quickstart shows an agent that edits its memory, whose worker is killed in the middle of a turn, and that finishes the turn with nothing lost or repeated.',
  ],
  'stack.quickstart-real': [
    'Foundation 1',
    'Another process reads back over REST what the quickstart shows, with random names and facts.',
  ],
  'stack.stop': ['Foundation 1', 'A signal stops the stack in order, and leaves none of its processes.'],
  'stack.ends-with-parent': [
    'Foundation 1',
    'Whatever ends the stack, or the npm that runs it, ends every process that it started.',
  ],
  'stack.data-stays': ['Foundation 1', 'A second start finds all data of the first one.'],
  'stack.one-owner': [
    'Foundation 1',
    'A second start on the same data directory is refused with a message that names the process that has it.',
  ],
  'stack.after-kill': ['Foundation 1', 'A start after kill -9 of everything works, with all committed data.'],
  'stack.restarts-parts': [
    'Foundation 1',
    'A killed worker, server, PostgreSQL or Temporal is started again by the stack.',
  ],
  'stack.external': [
    'Foundation 1',
    'When DATABASE_URL or TEMPORAL_ADDRESS is set, the stack uses that server and starts none.',
  ],
  'stack.settings': ['Foundation 1', 'Settings come from the environment and .env, and each has a default.'],
  'stack.settings-checked': [
    'Foundation 1',
    'One readable message lists everything that is wrong with the settings, before anything starts.',
  ],
  'stack.tls': ['Foundation 1', 'Namespace, TLS and API key reach every connection to an external Temporal.'],
  'stack.temporal-binary': [
    'Foundation 1',
    'The Temporal binary is found or built in the documented order; a failure says what to do.',
  ],
  'stack.pinned': [
    'Foundation 1',
    'Nothing that was downloaded is run or loaded unless its SHA-256 is the one in this repository.',
  ],
  'stack.no-superuser': [
    'Foundation 1',
    'The role with which worker and server use the embedded PostgreSQL owns its database and is not a superuser.',
  ],
  'stack.tuned': [
    'Foundation 1',
    'The embedded Temporal starts activities without waiting for its poll tick, and knows the search attributes.',
  ],
  'stack.compiled': [
    'Foundation 1',
    'Worker, server and document reader start from one compiled file each, and find everything that they find when run from source.',
  ],
  'stack.logs': ['Foundation 1', 'No log grows without bound, however long the stack runs.'],
  'stack.full-disk': [
    'Foundation 1',
    'A full disk ends no process that can still run: log lines are lost, and the stack says what it cannot do and tries again.',
  ],
  'stack.progress': ['Foundation 1', 'Anything that takes longer than a second shows what it is doing.'],
  'stack.loopback': ['Foundation 1', 'Everything listens only on this machine unless HOST says otherwise.'],
};

const schema: Promises = {
  'schema.forward': ['Foundation 2', 'Migrations lead forward from any earlier state.'],
  'schema.locked': ['Foundation 2', 'Processes that start together run the migrations once.'],
  'schema.last-statements': [
    'Foundation 2',
    'A commit that is sent with the last statements of its transaction fails when one of them fails, and writes nothing.',
  ],
  'schema.undone': [
    'Foundation 2',
    'A transaction that the database rolled back because of a deadlock is run again: its caller sees no error.',
  ],
  'schema.room': [
    'Foundation 2',
    'The schema has room for threads, vectors of several sizes, passages of archives or sources, epochs and seen revisions.',
  ],
};

const turn: Promises = {
  'turn.heartbeat': ['Foundation 3', 'A tool call that requests a heartbeat gives the agent another step.'],
  'turn.failed-tool': [
    'Foundation 3',
    'A failed tool gives the agent another step without a request, and the agent reads why it failed.',
  ],
  'turn.terminal': ['Foundation 3', 'A terminal tool that succeeded ends the turn.'],
  'turn.tool-rules': [
    'Foundation 3',
    'Tool rules decide which tools may be called, and when the turn may end.',
  ],
  'turn.max-steps': ['Foundation 3', 'A turn never has more steps than its limit.'],
  'turn.plain-text': ['Foundation 4', 'Plain text ends the turn of an agent of type letta_v1_agent.'],
  'turn.thinking': [
    'Foundation 3',
    'Tools have a thinking argument, unless the model reasons natively; the thinking never reaches the tool.',
  ],
  'turn.bad-answers': [
    'Bad input',
    'After broken JSON, no tool call, an unknown tool or an empty answer the model reads the fault and gets another step; the third in a row ends the turn with a stop reason that names the fault.',
  ],
  'turn.cancel': ['Foundation 3', 'A cancelled turn ends at once, even in the middle of a model call.'],
  'turn.cancel-without-worker': [
    'Rule: signals',
    'A turn whose worker is down, or that no worker has claimed, can be cancelled.',
  ],
  'turn.closed-calls': [
    'Rule: transcript',
    'A cancelled or failed turn leaves no open tool call: each has a result that says so.',
  ],
  'turn.idempotent-send': [
    'Foundation 3',
    'A send that is repeated with its idempotency key returns the first turn.',
  ],
  'turn.position': [
    'Rule: position',
    'Messages get their position in the transcript when they are claimed: a running turn never sees waiting ones.',
  ],
  'turn.steer': [
    'Rule: signals',
    'A steering message enters before the next model call, or keeps its place in the queue; its turn ends with the one that took it.',
  ],
  'turn.resume': [
    'Rule: resumption',
    'A turn whose execution died continues in another one from the first step without a stored answer.',
  ],
  'turn.abandoned': [
    'Rule: resumption',
    'After three resumptions without a new step the turn fails as abandoned and its thread moves on.',
  ],
  'turn.sweep': [
    'Rule: resumption',
    'The sweep finds and wakes a delivery without a bell and a turn without an execution, in one worker at a time.',
  ],
  'turn.nondeterminism': [
    'Rule: resumption',
    'A worker whose code does not fit a history fails the execution, and the turn is resumed.',
  ],
  'turn.fence': [
    'Rule: fence',
    'Writes of an execution change nothing after its turn ended or moved to another execution.',
  ],
  'turn.ids': ['Rule: ids', 'The ids of what a turn writes are derived from the turn and the place in it.'],
  'turn.answer-once': ['Rule: answers', 'A model’s stored answer is never paid for again.'],
  'turn.new-attempt': [
    'Rule: answers',
    'A new attempt after a broken stream has a new message id, and the log marks the old one as abandoned.',
  ],
  'turn.void-fragments': [
    'Rule: answers',
    'A stream takes back what it showed of an answer that broke off or was never stored, before anything follows: by a chunk that every client of Letta reads, with the id of the void message, at the same place in every read of the stream.',
  ],
  'turn.deadline': [
    'Rule: time',
    'A model that does not answer in time ends the turn with a defined stop reason.',
  ],
  'turn.refused': ['Rule: time', 'Refused credentials and rejected requests end the turn at once.'],
  'turn.quick-work': [
    'Rule: time',
    'Short database work is tried three times at once, and then continues as an ordinary activity.',
  ],
  'turn.tool-timeout': [
    'Rule: time',
    'A tool that does not finish becomes a result that says so, never an invented one.',
  ],
  'turn.replay': [
    'Rule: code changes',
    'Recorded histories of earlier versions replay against the current code.',
  ],
  'turn.readable': [
    'Foundation 3',
    'The Temporal UI shows a summary per step, current details, and the agent and run of an execution.',
  ],
  'turn.kill-sweep': [
    'Shown',
    'After kill -9 at any stage of a turn, messages, blocks and passages are those of an undisturbed turn.',
  ],
  'turn.kill-cost': ['Shown', 'Kills cost at most one model call for each kill inside a call.'],
  'turn.kill-control': ['Shown', 'A loop without the runtime fails the same test.'],
};

const queue: Promises = {
  'queue.order': [
    'Rule: queue',
    'Turns of a thread run one at a time, in the order in which they were sent.',
  ],
  'queue.claim-once': ['Rule: queue', 'A repeated claim returns what it claimed the first time.'],
  'queue.idle-bell': ['Rule: queue', 'A bell without work, or a second one, does nothing.'],
  'queue.no-loss': ['Rule: queue', 'A message that arrives while an execution is closing gets its turn.'],
  'queue.execution-each': [
    'Rule: queue',
    'Each turn is an execution of its own under its thread’s id, unless the previous one is younger than a second.',
  ],
  'queue.accepted': ['Rule: HTTP', 'An accepted message is not lost, whichever process dies at any time.'],
};

const tools: Promises = {
  'tool.effect': [
    'Rule: effects',
    'A tool call has a row in the ledger before it is tried, with an id that is derived from its step.',
  ],
  'tool.transactional': [
    'Rule: effects',
    'The writes of a built-in tool commit with its result, once, however often it is tried.',
  ],
  'tool.schemas': ['Foundation 4', 'The built-in tools have the names, parameters and effects of Letta’s.'],
  'tool.arguments': [
    'Bad input',
    'Arguments are repaired where that is safe and checked against the tool’s schema.',
  ],
};

const memory: Promises = {
  'memory.block-fields': [
    'Foundation 4',
    'A block has a label, a description, a value, a limit, a read-only mark and metadata.',
  ],
  'memory.code-points': ['Foundation 4', 'The limits of blocks count code points.'],
  'memory.default-limit': [
    'Foundation 4',
    'Limits default to those of the client’s generation, and a default limit never refuses a create.',
  ],
  'memory.operations': [
    'Foundation 4',
    'Blocks change by operations on the current value; one that does not fit is refused with a message that says what to do.',
  ],
  'memory.no-lost-update': ['Foundation 4', 'Changes made at the same time are all kept.'],
  'memory.revisions': [
    'Foundation 4',
    'Every change of a block is a revision that says who made it, in which step, and how.',
  ],
  'memory.conflict': [
    'Memory',
    'A rewrite on a base that is no longer current is a conflict that shows the current text.',
  ],
  'memory.read-only': ['Foundation 4', 'An agent cannot change a read-only block, and reads so.'],
  'memory.shared': ['Memory', 'An edit of a shared block is visible to every agent at its next step.'],
  'memory.core-tools': [
    'Foundation 4',
    'core_memory_append, core_memory_replace, memory_insert, memory_replace, memory_rethink and memory_finish_edits edit blocks.',
  ],
  'memory.archival': [
    'Foundation 4',
    'archival_memory_insert and archival_memory_search store and find passages, by tags and dates.',
  ],
  'memory.recall': [
    'Foundation 4',
    'conversation_search and conversation_search_date find past messages, by role and date.',
  ],
  'memory.stores-agree': ['Foundation 4', 'pgvector and the exact store pass the same tests.'],
  'memory.hnsw': ['Shown', 'HNSW finds at least 95 % of the exact store’s ten nearest.'],
  'memory.paraphrase': ['Shown', 'Paraphrased questions find their fact first in at least 80 % of cases.'],
  'memory.identifiers': ['Shown', 'Identifiers such as UUIDs are always found.'],
  'memory.local-embedding': [
    'Foundation 4',
    'Embeddings come from a model inside an npm package unless a handle names another.',
  ],
  'memory.remote-embedding': [
    'Foundation 4',
    'Handles of OpenAI-compatible embeddings work, and are never replaced by the local model.',
  ],
  'memory.context': [
    'Foundation 4',
    'The context holds instructions, blocks with their figures, memory figures, summary, message queue and tools.',
  ],
  'memory.escaped': [
    'Memory',
    'No block’s value can close its block or pose as another part of the context.',
  ],
  'memory.epoch': [
    'Memory',
    'Within an epoch the prompt’s prefix stays the same, byte for byte; changes of other threads come as notices.',
  ],
  'memory.pressure': [
    'Foundation 4',
    'Pressure is judged by the provider’s figure, or else by an estimate that is not too low.',
  ],
  'memory.eviction': [
    'Foundation 4',
    'Eviction always makes progress, whatever the summariser does, and keeps calls with their results.',
  ],
  'memory.question': [
    'Memory',
    'What a running turn has to answer stays in its context, shortened if it is too long.',
  ],
  'memory.share': ['Memory', 'An eviction keeps the share of the context that it says it keeps.'],
  'recall.background': [
    'Memory',
    'A search of a long conversation answers at once, says how much has no embedding yet, and has the embeddings made outside of turns.',
  ],
  'recall.no-statistics': [
    'Memory',
    'Messages that have no embedding yet are read once a batch, also right after an import, before PostgreSQL has statistics of them.',
  ],
  'recall.unindexed': [
    'Memory',
    'Messages without an embedding are ranked by their words, not behind all those that have one.',
  ],
  'recall.rare-words': [
    'Memory',
    'A rare word of a question finds the text that has it, even when other texts are nearer in meaning or have the common words.',
  ],
  'recall.own-question': ['Memory', 'A search in a turn does not return the message that the turn answers.'],
  'recall.query-first': [
    'Memory',
    'The local embedding model embeds a query before everything else that waits for it.',
  ],
  'memory.whole-text': [
    'Memory',
    'The local embedding model reads a text of up to 7,200 characters to its end.',
  ],
  'vectors.indexed': [
    'Memory',
    'The sweep builds the index of vectors, whichever process stored them; no turn waits for it.',
  ],
  'vectors.analyzed': [
    'Memory',
    'The sweep analyzes a table that has grown: the first searches after a load have plans that fit the new rows.',
  ],
  'vectors.planned': [
    'Memory',
    'Each search has a plan for its own archive, however often its connection has searched.',
  ],
  'vectors.counted-once': ['Memory', 'The size of an archive is not counted again for each search.'],
  'memory.calibrated': [
    'Memory',
    'Sizes of requests are judged by the provider’s earlier counts for this agent, even in a new epoch.',
  ],
  'memory.summary': [
    'Foundation 4',
    'Evicted messages are summarised recursively, in a memory block, and stay searchable.',
  ],
  'memory.never-bricked': [
    'Memory',
    'Neither a wrong window size nor a message larger than the window stops an agent.',
  ],
  'memory.agent-type': [
    'Foundation 4',
    'Clients of 0.1.x create a memgpt_agent by default, those of 1.x a letta_v1_agent.',
  ],
};

const models: Promises = {
  'model.handles': [
    'Foundation 5',
    'A handle names a provider and a model; the prefix stays, whatever the base URL is.',
  ],
  'model.stream': ['Foundation 5', 'Answers stream, and their text, reasoning and tool calls are assembled.'],
  'model.usage': ['Foundation 5', 'Usage figures are kept for each step, with cached and reasoning tokens.'],
  'model.compatible': ['Foundation 5', 'Responses of servers that are not quite compatible are understood.'],
  'model.failures': [
    'Foundation 5',
    'A provider’s error is classified once, with its type and whether a retry helps.',
  ],
  'model.retry-after': ['Foundation 5', 'retry-after is obeyed.'],
  'model.retried': [
    'Bad input',
    'A provider that is down, limits rates or cuts the stream is called again, and the run shows it.',
  ],
  'model.demo': [
    'Foundation 5',
    'perdure/demo acts through the same tool calls, without a key, and says that it is a demo.',
  ],
  'model.no-credentials': [
    'Foundation 5',
    'A handle without credentials is an error that names the variable; no other model replaces it silently.',
  ],
  'model.accepted-transcript': ['Rule: transcript', 'A provider always accepts the transcript.'],
  'model.listed': [
    'Foundation 6',
    'The models of configured providers are listed; one that does not answer hides no other.',
  ],
};

const rest: Promises = {
  'rest.agents': ['Foundation 6', 'Agents are created, retrieved, listed, updated and deleted.'],
  'rest.core-memory': ['Foundation 6', 'An agent’s blocks are read, changed, attached and detached.'],
  'rest.blocks': [
    'Foundation 6',
    'Blocks are created, retrieved, listed, updated and deleted, If-Match included.',
  ],
  'rest.archival': ['Foundation 6', 'Archival memory is written, listed, searched and deleted.'],
  'rest.messages': [
    'Foundation 6',
    'Messages are sent and answered, and listed in the shapes of both generations.',
  ],
  'rest.stream': ['Foundation 6', 'A turn streams as server-sent events, framed as the clients expect.'],
  'rest.async': [
    'Foundation 6',
    'A message can be sent without waiting; its run can be followed and cancelled.',
  ],
  'rest.runs': ['Foundation 6', 'Runs and steps are retrieved and listed, with usage.'],
  'rest.tools': ['Foundation 6', 'Tools are listed and attached.'],
  'rest.paging': ['Foundation 6', 'Lists have pages by before, after and limit, in the requested order.'],
  'rest.openapi': ['Foundation 6', 'OpenAPI 3.1 is at /openapi.json, and a page to read it at /docs.'],
  'rest.resume-stream': [
    'Foundation 6',
    'A dropped client continues from its offset, without a gap or a repetition, even after a restart.',
  ],
  'rest.other-server': ['Foundation 6', 'Any server process can serve any stream.'],
  'rest.errors': [
    'Bad input',
    'The caller’s mistakes get Letta’s status and {"detail"}, with a sentence that says what to do.',
  ],
  'rest.never-5xx': [
    'Rule: HTTP',
    'Once a message is accepted its POST never answers 408, 409, 429 or 5xx: it waits, or answers 200 with a stop reason.',
  ],
  'rest.joined-retry': ['Rule: HTTP', 'A blind retry of a 1.x client joins the turn that it began.'],
  'rest.health': [
    'Foundation 6',
    'The server is healthy only while its database answers, and says so within a second or so.',
  ],
  'stream.bounded': [
    'Foundation 6',
    'A stream with a slow reader holds one page of its log, however long the log is.',
  ],
  'rest.full-disk': [
    'Foundation 6',
    'A write that the database refuses because its disk is full gets a 507 that says so; reads continue.',
  ],
  'rest.password': [
    'Foundation 1',
    'With LETTA_SERVER_PASSWORD set, only requests with the password are accepted.',
  ],
  'rest.deleted-agent': [
    'Rule: between turns',
    'Deleting an agent is a tombstone, a cancel, then a purge of its own rows alone.',
  ],
  'rest.client-py-0': ['Foundation 6', 'PyPI letta-client 0.1.172 works unchanged.'],
  'rest.client-py-1': ['Foundation 6', 'PyPI letta-client 1.12.1 works unchanged.'],
  'rest.client-ts-0': ['Foundation 6', 'npm @letta-ai/letta-client 0.1.132 works unchanged.'],
  'rest.client-ts-1': ['Foundation 6', 'npm @letta-ai/letta-client 1.12.1 works unchanged.'],
  'rest.seed-script': [
    'Shown',
    'A script written for Letta runs against perdure with only its base URL changed.',
  ],
};

const client: Promises = {
  'client.turns': [
    'Foundation 7',
    'A program connects, creates an agent, sends, watches, awaits the result and cancels through Temporal directly.',
  ],
  'client.listening': [
    'Issue 3, kill sweep',
    'A listener has one connection: one that failed to start is ended before the next is opened.',
  ],
  'client.examples': [
    'Foundation 7',
    'The examples run: one starts a turn and prints it, one signals a busy agent.',
  ],
};

const scale: Promises = {
  'scale.history': [
    'Rule: contents',
    'No content enters a workflow history: a canary in every input, argument, answer and error is in none.',
  ],
  'scale.flat': [
    'Shown',
    'History bytes per step are constant and under 4 kB, however much is said; prompts as inputs would grow.',
  ],
  'scale.processes': [
    'Foundation 9',
    'Two servers and two workers share one Postgres and Temporal: a turn begun through one is followed through the other.',
  ],
  'scale.one-of-each-killed': [
    'Foundation 9',
    'A turn ends although one server and one worker are killed in the middle of it; histories show both workers.',
  ],
  'scale.compose': [
    'Foundation 9',
    'docker-compose.yml is valid and has the promised services, health checks, restart policies and volumes, and no default secret.',
  ],
  'scale.compose-commands': [
    'Foundation 9',
    'Every command and file that docker-compose.yml and the Dockerfile name exists.',
  ],
};

const house: Promises = {
  'house.directions': ['Foundation 8', 'A forbidden import between folders is refused.'],
  'house.bundle': [
    'Foundation 8',
    'The workflows’ bundle contains no Node built-in and no library of the edges.',
  ],
  'house.requirements': [
    'Foundation 8',
    'A requirement that no passing test cites fails the run, and so does a cited id that does not exist.',
  ],
  'house.settings-listed': ['Foundation 1', 'README and .env.example list every setting with its default.'],
  'house.snippets-run': [
    'Foundation 8',
    'The snippets of README and the quickstart run with the Python client that pip installs.',
  ],
  'house.examples-say': ['Foundation 8', 'An example that needs a model says so before anything else.'],
  'house.readme-commands': ['Foundation 8', 'Every command that README and CONTRIBUTING give exists.'],
  'house.failures': ['Foundation 8', 'A run says what failed, and why, just above its last line.'],
  'house.last-line': [
    'Foundation 8',
    'The test command ends with `N passed, N failed` alone on its last line.',
  ],
};

/** What everything else builds on. */
export const foundation: Promises = {
  ...stack,
  ...schema,
  ...turn,
  ...queue,
  ...tools,
  ...memory,
  ...models,
  ...rest,
  ...client,
  ...scale,
  ...house,
};
