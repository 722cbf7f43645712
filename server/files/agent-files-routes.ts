import { z } from 'zod';
import {
  type AgentFile,
  closeAgentFiles,
  listAgentFiles,
  openAgentFiles,
  windowOf,
} from '../../schema/files/agent-files.js';
import { agentFileLimits } from '../../schema/files/agent-file-limits.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { type Db, inTransaction, type Tx } from '../../schema/db/database.js';
import { FileNotFoundError } from '../../schema/files/errors.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { toWireAgentFile, wireAgentFiles } from './agent-files-wire.js';
import { queryBoolean } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const fileParams = agentParams.extend({ file_id: idOf('file') });

const listQuery = z.object({
  cursor: idOf('file').optional(),
  after: idOf('file').optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  is_open: queryBoolean.optional(),
});

/** The files of an agent's sources, and which of them are open in its context: list, open, close. */
export function agentFileRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/agents/:agent_id/files',
    {
      schema: {
        ...describeRoute(
          'agents.files.list',
          'List the files of an agent’s sources, with the visible part of the open ones',
        ),
        params: agentParams,
        querystring: listQuery,
        response: { 200: wireAgentFiles },
      },
    },
    async ({ params, query }) => {
      await requireAgent(db, params.agent_id);
      const all = await listAgentFiles(db, params.agent_id);
      const wanted = all.filter((file) => query.is_open === undefined || file.isOpen === query.is_open);
      return pageOf(db, wanted, { after: query.cursor ?? query.after, limit: query.limit });
    },
  );
  openRoute(app, context);
  app.patch(
    '/v1/agents/:agent_id/files/:file_id/close',
    {
      schema: {
        ...describeRoute('agents.files.close', 'Close a file: it leaves the agent’s context'),
        params: fileParams,
      },
    },
    async ({ params }) => {
      const { file } = await findFile(db, params.agent_id, params.file_id);
      await closeAgentFiles(db, params.agent_id, [file.fileId]);
      return null;
    },
  );
  app.patch(
    '/v1/agents/:agent_id/files/close-all',
    {
      schema: {
        ...describeRoute('agents.files.close_all', 'Close all files; returns their names'),
        params: agentParams,
        response: { 200: z.array(z.string()) },
      },
    },
    async ({ params }) => {
      await requireAgent(db, params.agent_id);
      const open = (await listAgentFiles(db, params.agent_id)).filter((file) => file.isOpen);
      await closeAgentFiles(
        db,
        params.agent_id,
        open.map((file) => file.fileId),
      );
      return open.map((file) => file.name);
    },
  );
}

function openRoute(app: App, { db, models }: RouteContext): void {
  app.patch(
    '/v1/agents/:agent_id/files/:file_id/open',
    {
      schema: {
        ...describeRoute(
          'agents.files.open',
          'Open a file; returns the names of the files that were closed for it',
        ),
        params: fileParams,
        response: { 200: z.array(z.string()) },
      },
    },
    async ({ params }) =>
      inTransaction(db, async (tx) => {
        const { file, all } = await findFile(tx, params.agent_id, params.file_id);
        const limits = await agentFileLimits(tx, params.agent_id, (handle) => models.describe(handle));
        const request = { fileId: file.fileId, firstLine: 1, lineCount: null };
        const closed = await openAgentFiles(tx, params.agent_id, [request], limits);
        return all.filter((each) => closed.includes(each.fileId)).map((each) => each.name);
      }),
  );
}

async function findFile(
  db: Db | Tx,
  agentId: string,
  fileId: string,
): Promise<{ readonly file: AgentFile; readonly all: readonly AgentFile[] }> {
  await requireAgent(db, agentId);
  const all = await listAgentFiles(db, agentId);
  const file = all.find((each) => each.fileId === fileId);
  if (file === undefined) throw new FileNotFoundError(fileId);
  return { file, all };
}

/** A cursor that is not in the list gives an empty page: clients iterate until they get one. */
async function pageOf(
  db: Db,
  files: readonly AgentFile[],
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<z.infer<typeof wireAgentFiles>> {
  const place = files.findIndex((file) => file.fileId === after);
  const start = after === undefined ? 0 : place === -1 ? files.length : place + 1;
  const page = files.slice(start, start + limit);
  const hasMore = start + limit < files.length;
  return {
    files: await Promise.all(
      page.map(async (file) => toWireAgentFile(file, file.isOpen ? await windowOf(db, file) : null)),
    ),
    next_cursor: hasMore ? (page.at(-1)?.fileId ?? null) : null,
    has_more: hasMore,
  };
}
