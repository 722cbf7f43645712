import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtinTools } from '../../../core/tools/tools.js';
import { attachTool, detachTool, listAgentTools } from '../../../schema/tools/agent-tools.js';
import { updateCustomTool, upsertCustomTool } from '../../../schema/tools/custom-tools.js';
import { type Db, inTransaction, type Tx } from '../../../schema/db/database.js';
import { saveLoadedTools } from '../../../schema/tools/extension-tools.js';
import { AgentNotFoundError } from '../../../schema/agents/errors.js';
import { ToolNotFoundError } from '../../../schema/tools/errors.js';
import {
  countTools,
  getTool,
  getToolByName,
  listTools,
  saveBuiltinTools,
} from '../../../schema/tools/tools.js';
import { untilSomebodyWaits } from '../../support/faults/lock-waiting.js';
import { anAgent, openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

describe('tools', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it('include every built-in one after the migrations', async () => {
    const tools = await listTools(database.db, {}, {});

    expect(tools.map((tool) => tool.name).sort()).toEqual(builtinTools.map((tool) => tool.name).sort());
    for (const tool of tools) {
      expect(tool.id).toMatch(/^tool-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(tool.schema.name).toBe(tool.name);
      expect(tool.schema.parameters.type).toBe('object');
    }
  });

  it('of extensions keep their ids, and neither take a used name nor lose theirs [ext.module]', async () => {
    const { db } = database;
    const schemaOf = (name: string, description: string) => ({
      ...{ name, description },
      parameters: { type: 'object' as const, properties: {} },
    });
    const toolOf = (name: string, description: string) => ({
      ...schemaOf(name, description),
      ...{ kind: 'messaging' as const, argument: 'text' },
    });
    await saveLoadedTools(db, [{ tools: [toolOf('sing', 'Old.')] }]);
    const before = await getToolByName(db, 'sing');
    await saveLoadedTools(db, [{ tools: [toolOf('sing', 'New.')] }]);

    expect(before).toMatchObject({ toolType: 'extension', description: 'Old.' });
    expect(await getToolByName(db, 'sing')).toMatchObject({ id: before?.id, description: 'New.' });
    const custom = {
      description: '',
      sourceType: 'python',
      sourceCode: '',
      argsSchema: null,
      runtime: {},
    } as const;
    await upsertCustomTool(db, { ...custom, schema: schemaOf('recite', '') });
    for (const name of ['send_message', 'recite']) {
      const tools = [toolOf('hum', ''), toolOf(name, '')];
      expect(await rejection(saveLoadedTools(db, [{ tools }]))).toMatchObject({
        name: 'SettingsError',
        message: expect.stringMatching(
          `PERDURE_EXTENSIONS names an extension whose tool '${name}' has the name of a tool that is there already`,
        ),
      });
    }
    expect(await getToolByName(db, 'hum')).toBeUndefined();
    expect(await rejection(upsertCustomTool(db, { ...custom, schema: schemaOf('sing', '') }))).toMatchObject({
      name: 'ToolNameTakenError',
    });
    await db.deleteFrom('tools').where('name', 'in', ['sing', 'recite']).execute();
  });

  it('keep their ids and agents when two processes save them again, and are updated', async () => {
    const { db } = database;
    const agent = await anAgent(db, { toolNames: ['send_message'] });
    const before = await listTools(db, {}, {});
    await db.updateTable('tools').set({ description: 'stale' }).where('name', '=', 'send_message').execute();

    await Promise.all([saveBuiltinTools(db), saveBuiltinTools(db)]);

    const after = await listTools(db, {}, {});
    expect(after.map(({ id, description }) => [id, description])).toEqual(
      before.map(({ id, description }) => [id, description]),
    );
    expect(await listAgentTools(db, agent.id)).toMatchObject([{ name: 'send_message' }]);
  });

  it('are attached once, after the others, and detached', async () => {
    const { db } = database;
    const agent = await anAgent(db, { toolNames: ['send_message'] });
    const tool = await getToolByName(db, 'archival_memory_search');
    await attachTool(db, agent.id, tool!.id);
    await attachTool(db, agent.id, tool!.id);

    expect((await listAgentTools(db, agent.id)).map((each) => each.name)).toEqual([
      'send_message',
      'archival_memory_search',
    ]);

    await detachTool(db, agent.id, tool!.id);

    expect((await listAgentTools(db, agent.id)).map((each) => each.name)).toEqual(['send_message']);
    expect(await getTool(db, tool!.id)).toEqual(tool);
  });

  it('are not attached when the tool or the agent is unknown', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const tool = await getToolByName(db, 'send_message');

    const noTool = await rejection(attachTool(db, agent.id, 'tool-none'));
    const noAgent = await rejection(attachTool(db, 'agent-none', tool!.id));

    expect(noTool).toBeInstanceOf(ToolNotFoundError);
    expect(noTool).toMatchObject({ namesOrIds: ['tool-none'] });
    expect(noAgent).toBeInstanceOf(AgentNotFoundError);
  });

  it('are found by name, part of the name and type', async () => {
    const { db } = database;
    const names = async (filter: Parameters<typeof listTools>[1]) =>
      (await listTools(db, filter, {})).map((tool) => tool.name).sort();

    expect(await names({ name: 'send_message' })).toEqual(['send_message']);
    expect(await names({ names: ['send_message', 'nothing'] })).toEqual(['send_message']);
    expect(await names({ query: 'VAL_MEMORY_S' })).toEqual(['archival_memory_search']);
    expect(await names({ toolTypes: ['custom'] })).toEqual([]);
    expect(await names({ excludedToolTypes: builtinTools.map(({ toolType }) => toolType) })).toEqual([]);
    expect(await names({ toolTypes: ['letta_builtin'] })).toEqual([
      'fetch_webpage',
      'run_code',
      'run_code_with_tools',
      'web_search',
    ]);
    expect(await countTools(db)).toBe(builtinTools.length);
  });

  describe('of the same name [tools.one-of-a-name]', () => {
    const aTool = (name: string) =>
      upsertCustomTool(database.db, {
        ...{ description: '', sourceType: 'python', sourceCode: '', argsSchema: null, runtime: {} },
        schema: { name, description: '', parameters: { type: 'object', properties: {} } },
      });
    const rename = (db: Db, toolId: string, name: string) =>
      updateCustomTool(db, toolId, {
        schema: { name, description: '', parameters: { type: 'object', properties: {} } },
      });
    const toolsOf = async (agentId: string) =>
      (await listAgentTools(database.db, agentId)).map(({ name, toolType }) => `${name} ${toolType}`);

    /** Runs the first in a transaction that ends once the second waits for it. Returns the outcome of the second. */
    async function whileWaiting<T>(first: (tx: Tx) => Promise<unknown>, second: () => Promise<T>) {
      const waiting = await inTransaction(database.db, async (tx) => {
        await first(tx);
        const outcome = second().catch((error: unknown) => error);
        await untilSomebodyWaits(database.db);
        return { outcome };
      });
      return waiting.outcome;
    }

    it('are never attached together: a rename waits for an attach, and is refused', async () => {
      const agent = await anAgent(database.db, { toolNames: ['send_message'] });
      const tool = await aTool('shout');

      const outcome = await whileWaiting(
        (tx) => attachTool(tx, agent.id, tool.id),
        () => rename(database.db, tool.id, 'send_message'),
      );

      expect(outcome).toMatchObject({ name: 'AgentHasToolError', agentId: agent.id });
      expect((await toolsOf(agent.id)).sort()).toEqual(['send_message letta_core', 'shout custom']);
    });

    it('are never attached together: an attach waits for a rename, and replaces the old tool', async () => {
      const agent = await anAgent(database.db, { toolNames: ['send_message'] });
      const tool = await aTool('whisper');

      await whileWaiting(
        (tx) => rename(tx, tool.id, 'send_message'),
        () => attachTool(database.db, agent.id, tool.id),
      );

      expect(await toolsOf(agent.id)).toEqual(['send_message custom']);
    });

    it('are never attached together: of two attached at once the last one stays', async () => {
      const agent = await anAgent(database.db, { toolNames: [] });
      const own = await aTool('core_memory_append');
      const base = await getToolByName(database.db, 'core_memory_append');

      await whileWaiting(
        (tx) => attachTool(tx, agent.id, base!.id),
        () => attachTool(database.db, agent.id, own.id),
      );

      expect(await toolsOf(agent.id)).toEqual(['core_memory_append custom']);
    });
  });
});
