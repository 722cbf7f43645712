import type { Promises } from './requirement.js';

/** Letta's REST surface, beyond what the foundation needs. */
export const wire: Promises = {
  'wire.browser': [
    'Wire, guards',
    'Without a password a page of another site, a foreign origin and a rebound host get 403 on every route; programs and the server’s own page do not.',
  ],
  'wire.commands': [
    'Wire, guards',
    'The API registers and runs no command, unless a setting that is off by default allows it.',
  ],
  'wire.wrong-input': [
    'Wire, guards',
    'Input that is wrong in form, depth, length or characters gets an error that says what is wrong, never a 5xx.',
  ],
  'wire.hidden-rows': [
    'Wire',
    'A page of messages is empty only at the end of the list, whatever is hidden: iterators reach every message.',
  ],
  'wire.message-order': [
    'Wire',
    'An agent’s messages are listed as in Letta: the newest ones, oldest first; `after` a cursor are newer ones. A conversation’s are listed newest first.',
  ],
  'wire.system-message': [
    'Wire',
    'A thread’s first message is its system message: in lists, by its id, and among the messages in context.',
  ],
  'wire.parallel-calls': [
    'Wire',
    'The calls of one answer are one message, and their results one message, in replies, streams and lists.',
  ],
  'wire.pending-approval': [
    'Wire',
    'While calls wait for an approval, a message that would wait for it gets 409 at once, and nothing of it is stored; async and explicitly queued messages wait.',
  ],
  'wire.defaults': [
    'Wire',
    'A field that a request leaves out has the default of the Letta server of its client’s generation, and is returned so: limits of blocks, settings of models, tool rules.',
  ],
  'wire.preview': [
    'Wire',
    'The request that a message would send to an agent’s model can be previewed without sending it; a compiled prompt is JSON.',
  ],
  'wire.rename': [
    'Wire',
    'A custom tool is renamed by its schema alone, as in Letta; its source stays unchanged.',
  ],
  'wire.agent-filters': ['Wire', 'Every filter of the list of agents works, or is refused with a sentence.'],
  'wire.block-filters': [
    'Wire',
    'Blocks are filtered by label, value, description, project and number of agents.',
  ],
  'wire.expired-fragments': [
    'Wire',
    'Resuming a stream whose fragments have expired gets 410 with a sentence, never the same words twice.',
  ],
  'wire.outage-between': [
    'Wire',
    'A connection that the database cuts between two statements ends its transaction, and no process.',
  ],
  'wire.outage-after-accept': [
    'Wire',
    'When the database restarts after a message was accepted, its sender waits and gets the answer.',
  ],
  'wire.orphan-waits': [
    'Wire',
    'A new stack waits for the still starting PostgreSQL of a killed one, shows progress, and takes it over.',
  ],
  'wire.unserved': [
    'Wire',
    'An operation of Letta’s clients that is not served gets 501 with a sentence that names it, and is not retried.',
  ],
  'wire.compatibility': [
    'Wire',
    'docs/compatibility.md lists every operation of the clients; an operation counts as shown only if a client called it with success.',
  ],
  'wire.fields': [
    'Wire',
    'Every field that the clients can send is read, refused with a sentence, or listed as without effect, with the reason.',
  ],
  'wire.openai': [
    'Wire',
    'An OpenAI client talks to an agent as to a model, streaming or not: the agent gets the new messages, and the client gets its words.',
  ],
  'wire.first-token': [
    'Wire',
    'A run shows the time from its acceptance to the first fragment of an answer.',
  ],
  'wire.openai-format': [
    'Wire',
    'A response format that an OpenAI client requests applies to the agent’s model in that turn, or is refused when the agent speaks with a tool; the response is the document alone.',
  ],
  'wire.openai-responses': [
    'Wire',
    'OpenAI’s Responses API works with an agent as the model, streaming or not; what an agent cannot do is refused with a sentence.',
  ],
  'wire.surface': [
    'Wire',
    'Archives, passages, messages and steps are created, searched, rated and counted through the official clients.',
  ],
  'wire.passage-edit': [
    'Wire',
    'A passage is edited in place: searches find only its new words, a pinned one is shown again, and forks of the past have its old words.',
  ],
  'wire.run-delete': [
    'Wire',
    'A run that has ended is deleted with its steps, and its messages stay; one that is still referred to is refused with a sentence.',
  ],
  'wire.agent-search': [
    'Wire',
    'Agents are found by several conditions at once, page by page; an unsupported condition is refused with a sentence.',
  ],
  'wire.provider-check': [
    'Wire',
    'A provider’s key, from the settings or the caller, is checked by calling the provider, and is never returned.',
  ],
  'wire.mcp': [
    'Wire',
    'MCP servers over stdio, streamable HTTP and SSE are registered over REST, and agents call their tools; a server that hangs, is unreachable or has a wrong schema gives a clear error.',
  ],
  'wire.web': [
    'Wire',
    'Agents search the web with the configured provider and read its pages, never addresses of private networks; the model reads what failed.',
  ],
  'wire.threads': [
    'Wire',
    'Conversations, scheduled messages and users’ own tools are created, read, changed and deleted through the official clients.',
  ],
};
