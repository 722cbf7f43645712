import type { Promises } from './requirement.js';

/** Letta's REST surface, beyond what the foundation needs. */
export const wire: Promises = {
  'wire.browser': [
    'Wire, guards',
    'Without a password a page of another site, a foreign origin and a rebound host are refused with 403 on every route; programs and the server’s own page are not.',
  ],
  'wire.commands': [
    'Wire, guards',
    'No command is registered or run by the API, unless a setting that is off by default lets it.',
  ],
  'wire.wrong-input': [
    'Wire, guards',
    'Input that is wrong in form, depth, length or characters is answered by what is wrong with it, never by 5xx.',
  ],
  'wire.hidden-rows': [
    'Wire',
    'A page of messages is empty only at the list’s end, whatever is hidden from it: iterators reach every message.',
  ],
  'wire.message-order': [
    'Wire',
    'An agent’s messages are listed as Letta does: the newest, oldest first; a cursor’s `after` are newer ones. A conversation’s are newest first.',
  ],
  'wire.system-message': [
    'Wire',
    'A thread’s first message is its system message, in lists, by its id, and among what is in context.',
  ],
  'wire.parallel-calls': [
    'Wire',
    'The calls of one answer are one message, and their results one message, in replies, streams and lists.',
  ],
  'wire.pending-approval': [
    'Wire',
    'While calls wait for an approval, a message that would wait for it is answered 409 at once, and nothing of it is kept; async and explicit queueing wait.',
  ],
  'wire.defaults': [
    'Wire',
    'What a request leaves out is as in the Letta server of its client’s time, and is told so: limits of blocks, settings of models, tool rules.',
  ],
  'wire.preview': [
    'Wire',
    'The request that an agent’s model would get for a message is told without sending it; a compiled prompt is JSON.',
  ],
  'wire.rename': [
    'Wire',
    'A custom tool is renamed by its schema alone, as in Letta; its source stays as it is.',
  ],
  'wire.agent-filters': ['Wire', 'Every filter of the list of agents works, or is refused with a sentence.'],
  'wire.block-filters': [
    'Wire',
    'Blocks are looked for by label, value, description, project and by how many agents have them, each by its own filter.',
  ],
  'wire.expired-fragments': [
    'Wire',
    'Resuming a stream whose fragments have expired answers 410 with a sentence, never the same words twice.',
  ],
  'wire.outage-between': [
    'Wire',
    'A connection that the database cuts between two statements of a transaction ends that transaction, and no process.',
  ],
  'wire.outage-after-accept': [
    'Wire',
    'A database that restarts after a message was accepted is waited for; its sender gets the answer.',
  ],
  'wire.orphan-waits': [
    'Wire',
    'A PostgreSQL of a killed stack that is still starting is waited for, with progress, and taken over.',
  ],
  'wire.unserved': [
    'Wire',
    'An operation of Letta’s clients that is not served answers 501 with a sentence that names it, and is not retried.',
  ],
  'wire.compatibility': [
    'Wire',
    'docs/compatibility.md lists every operation of the clients; none counts as shown that no client asked for with success.',
  ],
  'wire.fields': [
    'Wire',
    'Every field that the clients can send is read, refused with a sentence, or listed as without effect, with the reason.',
  ],
  'wire.openai': [
    'Wire',
    'An OpenAI client talks to an agent as to a model, streaming or not: it hears what is new, and its words come back.',
  ],
  'wire.first-token': [
    'Wire',
    'A run tells how long it took from its acceptance to the first fragment of an answer.',
  ],
  'wire.openai-format': [
    'Wire',
    'A form of answers that an OpenAI client asks for binds the agent’s model in that turn, or is refused where the agent speaks by a tool; the document comes alone.',
  ],
  'wire.openai-responses': [
    'Wire',
    'OpenAI’s Responses API works with an agent as the model, streaming or not; what an agent can’t do is refused with a sentence.',
  ],
  'wire.surface': [
    'Wire',
    'Archives, passages, messages and steps are made, searched, judged and counted through the official clients.',
  ],
  'wire.passage-edit': [
    'Wire',
    'A passage is changed where it is: found by its new words alone, told anew where it is pinned, and as it was before in the past.',
  ],
  'wire.run-delete': [
    'Wire',
    'A run that has ended is deleted with its steps, and what was said stays; one that something stands on is not, with a sentence.',
  ],
  'wire.agent-search': [
    'Wire',
    'Agents are found by several conditions at once, page by page; one that can’t be asked here is refused with a sentence.',
  ],
  'wire.provider-check': [
    'Wire',
    'A provider’s key is checked by asking it, whether the key is the settings’ or the caller’s, and never comes back.',
  ],
  'wire.mcp': [
    'Wire',
    'MCP servers over stdio, streamable HTTP and SSE: registered over REST, their tools called by agents; one that hangs, is away or lies about its schema is a clear error.',
  ],
  'wire.web': [
    'Wire',
    'Agents search the web with the provider of the settings and read pages of it, never addresses of private networks; what fails is told to the model.',
  ],
  'wire.threads': [
    'Wire',
    'Conversations, scheduled messages and tools of users’ own are made, read, changed and deleted through the official clients.',
  ],
};
