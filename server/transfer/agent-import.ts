import type { Transfer, TransferredAgent, TransferredTool } from '../../core/transfer/transfer.js';
import { withoutTranscripts } from '../../core/transfer/transfer.js';
import { activityOf } from '../../schema/tools/activity-tools.js';
import { placeTools, type ToolToPlace } from '../../schema/transfer/tools.js';
import {
  findImport,
  type ImportAnswer,
  type ImportRequest,
  keepImport,
} from '../../schema/transfer/imports.js';
import { type WrittenTransfer, writeTransfer } from '../../schema/transfer/writing.js';
import type { ToolDefinition, ToolFields } from '../../schema/tools/custom-tools.js';
import { inTransaction } from '../../schema/db/database.js';
import { embedPassages } from './passage-embedding.js';
import type { ServerDeps } from '../deps.js';
import { chooseFileModels } from './file-models.js';
import { RequestRefusedError } from '../http/problems.js';
import { defineActivityTool, defineTool } from '../tools/tool-definitions.js';
import { refuseSource } from '../tools/custom-tools.js';
import type { ImportOptions } from './agent-transfer-wire.js';
import { AgentFileError } from './agent-file/agent-file-error.js';
import { parseAgentFile } from './agent-file/parsing.js';
import { filesLeftOut, fromAgentFile } from './agent-file/reading.js';
import { sourceToolBody, toToolFields } from '../tools/tool-requests-wire.js';

/** The result of an import. */
export interface ImportedAgents extends ImportAnswer {
  /** Files whose ingestion has to be started. */
  readonly fileIds: readonly string[];
}

/** A request for an import. */
export interface WantedImport {
  /** The file. */
  readonly json: unknown;
  readonly wish: ImportOptions;
  readonly request: ImportRequest;
}

/**
 * Creates the agents of an agent file with everything that belongs to them, or nothing. A repeated request gets the result
 * of the first one.
 * Throws AgentFileError, RequestRefusedError, and what `placeTools` and `writeTransfer` throw.
 */
export async function importAgents(
  deps: ServerDeps,
  { json, wish, request }: WantedImport,
): Promise<ImportedAgents> {
  const document = parseAgentFile(json);
  const read = fromAgentFile(document, new Date());
  const wished = withOptions(wish.stripsMessages ? withoutTranscripts(read) : read, wish);
  const transfer = await embedPassages(deps, chooseFileModels(deps, wished, wish), wish.embedding);
  const tools: ToolToPlace[] = [];
  for (const tool of transfer.tools) tools.push({ tool, definition: await define(deps, tool) });
  return inTransaction(deps.db, async (tx) => {
    const earlier = await findImport(tx, request);
    if (earlier !== undefined) return { ...earlier, fileIds: [] };
    const placed = await placeTools(tx, tools, { replaces: wish.replacesTools });
    const written = await writeTransfer(tx, transfer, { tools: placed.ids, vault: deps.vault });
    const notes = [
      ...notesOn(transfer, placed.missing, document.skills.length),
      ...notesOnFiles(written, filesLeftOut(document)),
    ];
    await keepImport(tx, request, { agentIds: written.agentIds, notes });
    return { ...written, notes };
  });
}

function withOptions(transfer: Transfer, wish: ImportOptions): Transfer {
  return {
    ...transfer,
    agents: transfer.agents.map((agent, index) => ({
      ...agent,
      name:
        index === 0 && wish.name !== undefined
          ? wish.name
          : `${agent.name}${wish.appendsSuffix ? '_copy' : ''}`,
      extras: {
        ...agent.extras,
        ...variablesOf(agent, wish.variables),
        ...(wish.projectId === undefined ? {} : { project_id: wish.projectId }),
      },
    })),
  };
}

/** New values of the agent's variables. Each goes where the agent has that variable; a new one becomes a secret. */
function variablesOf(
  { extras }: TransferredAgent,
  given: ImportOptions['variables'],
): Record<string, unknown> {
  const older = recordOf(extras['tool_exec_environment_variables']);
  const isOlder = ([key]: readonly [string, string]) => key in older;
  const entries = Object.entries(given);
  const secrets = {
    ...recordOf(extras['secrets']),
    ...Object.fromEntries(entries.filter((one) => !isOlder(one))),
  };
  const changed = { ...older, ...Object.fromEntries(entries.filter(isOlder)) };
  return {
    ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
    ...(Object.keys(changed).length === 0 ? {} : { tool_exec_environment_variables: changed }),
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

async function define(
  { settings }: ServerDeps,
  tool: TransferredTool,
): Promise<(ToolDefinition & ToolFields) | undefined> {
  if (tool.toolType !== 'custom') return undefined;
  const activity = activityOf(tool);
  const body = toToolBody(tool, activity !== undefined);
  const description = tool.description === '' ? undefined : tool.description;
  const schema = tool.schema ?? undefined;
  try {
    if (activity !== undefined && schema !== undefined) {
      const defined = await defineActivityTool({ activity, schema, description });
      return { ...defined, ...toToolFields(body) };
    }
    refuseSource(settings);
    const defined = await defineTool({
      sourceCode: body.source_code,
      sourceType: body.source_type ?? 'python',
      description,
      schema,
      argsSchema: body.args_json_schema ?? undefined,
      generation: tool.runtime.clientGeneration ?? '1',
    });
    return { ...defined, ...toToolFields(body) };
  } catch (error) {
    if (!(error instanceof RequestRefusedError)) throw error;
    throw new RequestRefusedError(error.status, `The file's tool '${tool.name}': ${error.message}`);
  }
}

/** The tool in the form of a request, checked as one. */
function toToolBody(tool: TransferredTool, isActivity: boolean) {
  const { data, error } = sourceToolBody.safeParse({
    ...tool.extras,
    activity: undefined,
    source_code: isActivity ? 'none' : (tool.sourceCode ?? ''),
    source_type: tool.sourceType,
    description: tool.description,
    args_json_schema: tool.argsSchema,
    tags: tool.tags,
    return_char_limit: tool.returnLimit,
    pip_requirements: tool.requirements,
  });
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new AgentFileError(
    `The file's tool '${tool.name}' can't be used. ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}. Correct it.`,
  );
}

function notesOn(transfer: Transfer, missing: readonly string[], skills: number): readonly string[] {
  const unset = new Set(
    transfer.agents.flatMap(({ extras }) =>
      Object.entries({
        ...recordOf(extras['tool_exec_environment_variables']),
        ...recordOf(extras['secrets']),
      })
        .filter(([, value]) => value === '')
        .map(([key]) => key),
    ),
  );
  return [
    ...(missing.length === 0
      ? []
      : [`These tools are unknown here and were left out: ${missing.join(', ')}.`]),
    ...(unset.size === 0
      ? []
      : [`These variables have no value yet: ${[...unset].join(', ')}. Set them as secrets of the agent.`]),
    ...(skills === 0 ? [] : [`The file's ${skills} skills belong to Letta Code and were left out.`]),
  ];
}

function notesOnFiles(
  { sharedSources, pinsLeftOut }: WrittenTransfer,
  leftOut: readonly string[],
): readonly string[] {
  return [
    ...(leftOut.length === 0
      ? []
      : [
          `These files have no text or no source in the agent file and were left out: ${leftOut.join(', ')}. Upload them again.`,
        ]),
    ...(sharedSources.length === 0
      ? []
      : [
          `These sources already exist here with the same texts, and the agents share them: ${sharedSources.join(', ')}.`,
        ]),
    ...(pinsLeftOut === 0
      ? []
      : [`${pinsLeftOut} pinned passages of shared sources are not pinned here. Pin them again.`]),
  ];
}
