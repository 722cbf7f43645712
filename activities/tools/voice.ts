import { derivedId } from '../../core/ids.js';
import type { Effect } from '../../schema/turns/records.js';
import { getAgent } from '../../schema/agents/agents.js';
import { refinementOf } from '../../schema/blocks/branches.js';
import { holdPassages } from '../../schema/refinement/passages.js';
import type { ActivityDeps } from '../deps.js';
import { memoryRethink } from './core-memory.js';
import { done, listArgument, numberArgument, type SearchingTool, type TransactionalTool } from './outcome.js';
import { recall } from './unified-recall.js';

const minuteMs = 60_000;

/** Letta's search for voice agents, implemented by `recall`. */
export function searchMemory(deps: Parameters<typeof recall>[0]): SearchingTool {
  const search = recall(deps);
  return {
    kind: 'searching',
    prepare: (call) => {
      const asked = {
        query: (listArgument(call.effect, 'convo_keyword_queries') ?? []).join(' '),
        start_date: minutesAgo(call.effect, 'end_minutes_ago'),
        end_date: minutesAgo(call.effect, 'start_minutes_ago'),
      };
      return search.prepare({ ...call, effect: { ...call.effect, arguments: asked } });
    },
  };
}

/** As a time; before all memory where it is further back than dates reach. */
function minutesAgo(effect: Effect, name: string): string {
  const minutes = numberArgument(effect, name, -1);
  return minutes < 0 ? '' : new Date(Math.max(0, Date.now() - minutes * minuteMs)).toISOString();
}

/** Rewrites the block `human`. */
export const rethinkUserMemory: TransactionalTool = {
  kind: 'transactional',
  run: (context) => {
    const args = { ...context.effect.arguments, label: 'human' };
    return memoryRethink.run({ ...context, effect: { ...context.effect, arguments: args } });
  },
};

/**
 * Stores excerpts of a conversation as passages: in a refinement for the agent whose memory is refined, once the
 * refinement is merged; outside of one for the caller, at once. The messages themselves stay in recall.
 */
export function storeMemories({
  db,
  archival,
  embeddings,
}: Pick<ActivityDeps, 'db' | 'archival' | 'embeddings'>): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, effect, embedder, signal }) {
      const texts = contextsOf(effect);
      const refined = await refinementOf(db, effect);
      // The passages belong to the primary agent, whose searches must find them.
      const owner = refined === undefined ? undefined : await getAgent(db, refined.agentId);
      const model = owner === undefined ? embedder() : embeddings.resolve(owner.embedding);
      const made = await model.embed(texts, { signal });
      return async ({ tx }) => {
        const refinement = await refinementOf(tx, effect);
        const passages = texts.map((text, index) => {
          const vector = made[index];
          const embedding =
            vector === undefined ? {} : { embedding: { vector, model: model.description.handle } };
          return { id: derivedId('passage', effect.turnId, effect.id, index), text, tags: [], ...embedding };
        });
        if (refinement === undefined) await archival.insert(tx, agent.id, passages);
        else await holdPassages(tx, refinement.id, passages);
        return done(`Stored in archival memory: ${passages.length}.`);
      };
    },
  };
}

function contextsOf({ arguments: args }: Effect): readonly string[] {
  const chunks: readonly unknown[] = Array.isArray(args['chunks']) ? args['chunks'] : [];
  return chunks.flatMap((chunk) => {
    const isChunk = typeof chunk === 'object' && chunk !== null && 'context' in chunk;
    return isChunk && typeof chunk.context === 'string' && chunk.context.trim() !== '' ? [chunk.context] : [];
  });
}
