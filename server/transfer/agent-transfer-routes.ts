import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ImportRequest } from '../../schema/transfer/imports.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { readTransfer } from '../../schema/transfer/reading.js';
import type { TransferredTranscripts } from '../../core/transfer/transfer.js';
import { importAgents } from './agent-import.js';
import { describeEmbedding, viewAgent } from '../agents/agent-views.js';
import { isTooDeep } from '../http/body-limits.js';
import { callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';
import { hashRequest, requestKeyOf } from '../http/idempotency.js';
import { receiveForm, type Upload } from '../http/uploads.js';
import { readsFilesAsTexts } from '../http/client-generation-wire.js';
import { exportQuery, toImportOptions, importedAgents, importFields } from './agent-transfer-wire.js';
import { toAgentFile } from './agent-file/writing.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const defaultFileLimitMb = 50;

/** Export and import of agent files. */
export function agentTransferRoutes(app: App, context: RouteContext): void {
  exportRoute(app, context);
  importRoute(app, context);
}

function exportRoute(app: App, context: RouteContext): void {
  const { db, models } = context;
  app.get(
    '/v1/agents/:agent_id/export',
    {
      schema: {
        ...describeRoute(
          'agents.export_file',
          'Export an agent with everything that belongs to it as an agent file',
        ),
        params: agentParams,
        querystring: exportQuery,
        response: { 200: z.string() },
      },
    },
    async ({ params, query, headers }, reply) => {
      if (query.use_legacy_format) {
        throw new RequestRefusedError(
          400,
          'use_legacy_format is not supported: files are written in the newer form only. Leave it out. Files in the older form can be imported.',
        );
      }
      const transfer = await readTransfer(db, params.agent_id, wantedTranscripts(query));
      const embedding = (handle: string) => describeEmbedding(context, handle);
      const model = (handle: string) => models.describe(handle);
      // With line breaks: people read and compare agent files and keep them under version control.
      const text = JSON.stringify(toAgentFile(transfer, { model, embedding }, new Date()), null, 2);
      return reply.type('application/json').send(readsFilesAsTexts(headers) ? JSON.stringify(text) : text);
    },
  );
}

function wantedTranscripts(query: z.infer<typeof exportQuery>): TransferredTranscripts {
  if (query.scrub_messages) return { kind: 'none' };
  if (query.conversation_id === undefined) return { kind: 'all' };
  return { kind: 'conversation', threadId: query.conversation_id };
}

function importRoute(app: App, context: RouteContext): void {
  const { db, settings } = context;
  app.post(
    '/v1/agents/import',
    {
      schema: {
        ...describeRoute('agents.import_file', 'Create the agents of an agent file (multipart, part `file`)'),
        consumes: ['multipart/form-data'],
        // Older clients send the form's fields here.
        querystring: z.looseObject({}),
        response: { 200: importedAgents },
      },
    },
    async (request) => {
      const { upload, fields } = await receiveForm(request, settings.fileLimitMb ?? defaultFileLimitMb);
      const { json, digest } = await readJson(upload).finally(upload.discard);
      const header = request.headers['x-override-embedding-model'];
      const given = parseFields({ ...request.query, ...fields });
      const wish = toImportOptions(given, typeof header === 'string' ? header : undefined);
      const { agentIds, fileIds, notes } = await importAgents(context, {
        ...{ json, wish },
        request: toImportRequest(request, [digest, wish]),
      });
      for (const fileId of fileIds) {
        await context.ingestions.start(fileId).catch((error: unknown) => {
          request.log.warn({ err: error }, 'an ingestion could not be started; the sweep will start it');
        });
      }
      const [first = ''] = agentIds;
      const agent = await viewAgent(context, await requireAgent(db, first));
      return { ...agent, agent_ids: [...agentIds], notes: [...notes] };
    },
  );
}

function parseFields(given: Readonly<Record<string, unknown>>): z.infer<typeof importFields> {
  const { data, error } = importFields.safeParse(given);
  if (data !== undefined) return data;
  const faults = error.issues.map((issue) => `form.${issue.path.join('.')}: ${issue.message}`);
  throw new RequestRefusedError(422, faults.join('; '));
}

function toImportRequest(request: Pick<FastifyRequest, 'headers'>, wanted: unknown): ImportRequest {
  const key = requestKeyOf(request, { messages: [] });
  return {
    key: key === undefined ? null : hashRequest('agents.import key', key),
    hash: hashRequest('agents.import', wanted),
    joinWithinMs: callerOf(request).firstSentWithinMs,
  };
}

async function readJson(upload: Upload): Promise<{ readonly json: unknown; readonly digest: string }> {
  const pieces: Buffer[] = [];
  for await (const piece of upload.pieces()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RequestRefusedError(400, `The file is not JSON (${why}). Send an agent file (.af).`);
  }
  if (isTooDeep(json)) throw new RequestRefusedError(422, 'The file is nested too deep to be an agent file.');
  return { json, digest: createHash('sha256').update(bytes).digest('hex') };
}
