import { z } from 'zod';
import type { Agent } from '../../core/agents/agents.js';
import type { Message } from '../../core/threads/messages.js';
import { getAgent } from '../../schema/agents/agents.js';
import type { Db } from '../../schema/db/database.js';
import { getMessages, listMessages } from '../../schema/threads/messages.js';
import { MessageNotFoundError } from '../../schema/threads/errors.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { findMessages, type MessageSearch } from './message-search.js';
import { readShown } from './message-pages.js';
import { findSystemMessage } from './system-messages.js';
import { moment, pageFields, queryList, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { foundMessage, toFoundMessages } from './found-messages-wire.js';
import { wireMessage, type WireMessage } from './message-shapes-wire.js';
import { toWireMessages } from './messages-wire.js';
import { toRendering } from './rendering-wire.js';
import { describeRoute } from '../http/route-documentation.js';

const listQuery = z.object({
  ...pageFields(idOf('message'), 100),
  conversation_id: idOf('conv').optional(),
  include_return_message_types: queryList.optional(),
});

const searchBody = z
  .object({
    query: z.string(),
    agent_id: idOf('agent').nullish(),
    conversation_id: idOf('conv').nullish(),
    roles: z.array(z.enum(['user', 'assistant', 'system'])).nullish(),
    search_mode: z.enum(['vector', 'fts', 'hybrid']).nullish(),
    limit: z.int().min(1).max(100).default(50),
    start_date: moment.nullish(),
    end_date: moment.nullish(),
  })
  .meta({ id: 'MessageSearchRequest' });

/** Messages of all agents: list, retrieve, search. */
export function messageSearchRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/messages',
    {
      schema: {
        ...describeRoute('messages.list', 'List the messages of all agents, newest first'),
        querystring: listQuery,
        response: { 200: z.array(wireMessage) },
      },
    },
    async ({ query }) => {
      const agents = createAgentCache(db);
      const types = query.include_return_message_types;
      return readShown(db, toPage(query, 'desc'), {
        read: async (page) => {
          const messages = await listMessages(db, { threadId: query.conversation_id }, page);
          await agents.load(messages);
          return messages;
        },
        show: (message, siblings) => show(context, { message, siblings, agent: agents.of(message), types }),
      });
    },
  );
  app.get(
    '/v1/messages/:message_id',
    {
      schema: {
        ...describeRoute('messages.retrieve', 'Retrieve a message, in the one or more parts that lists show'),
        params: z.object({ message_id: idOf('message') }),
        response: { 200: z.array(wireMessage) },
      },
    },
    async ({ params }) => {
      const [stored] = await getMessages(db, [params.message_id]);
      const message = stored ?? (await findSystemMessage(context, params.message_id));
      const agent = message === undefined ? undefined : await getAgent(db, message.agentId);
      if (message === undefined || agent === undefined)
        throw new MessageNotFoundError(params.message_id, 'among those of any agent');
      return show(context, { message, agent });
    },
  );
  app.post(
    '/v1/messages/search',
    {
      schema: {
        ...describeRoute(
          'messages.search',
          'Search what agents and their users said, by words and by meaning',
        ),
        body: searchBody,
        response: { 200: z.array(foundMessage) },
      },
    },
    async ({ body }) => {
      const agents = createAgentCache(db);
      const found = await findMessages(context, toSearch(body));
      await agents.load(found);
      return found.flatMap((message) => {
        const agent = agents.of(message);
        return agent === undefined
          ? []
          : toFoundMessages(message, toRendering(agent, {}, context.extensions));
      });
    },
  );
}

function toSearch(body: z.infer<typeof searchBody>): MessageSearch {
  const isByMeaning = body.search_mode === 'vector' && body.agent_id != null;
  return {
    agentId: body.agent_id ?? undefined,
    threadId: body.conversation_id ?? undefined,
    query: body.query,
    way: isByMeaning ? 'meaning' : body.search_mode === 'fts' ? 'words' : 'both',
    roles: body.roles ?? undefined,
    from: body.start_date ?? undefined,
    to: body.end_date ?? undefined,
    limit: body.limit,
  };
}

function show(
  { extensions }: RouteContext,
  {
    message,
    siblings,
    agent,
    types,
  }: {
    readonly message: Message;
    readonly siblings?: readonly Message[];
    readonly agent: Agent | undefined;
    readonly types?: readonly string[] | undefined;
  },
): WireMessage[] {
  if (agent === undefined) return [];
  const rendering = toRendering(agent, { include_return_message_types: types }, extensions);
  return toWireMessages(message, rendering, siblings);
}

/** Reads each agent of a list of messages once. */
function createAgentCache(db: Db) {
  const agents = new Map<string, Agent | undefined>();
  return {
    async load(messages: readonly Message[]): Promise<void> {
      const unknown = new Set(messages.map(({ agentId }) => agentId).filter((id) => !agents.has(id)));
      for (const id of unknown) agents.set(id, await getAgent(db, id));
    },
    of: ({ agentId }: Message): Agent | undefined => agents.get(agentId),
  };
}
