import { embedQuery } from '../../adapters/embeddings/query-embeddings.js';
import { derivedId } from '../../core/ids.js';
import { sourceEmbeddings } from '../../schema/files/agent-sources.js';
import type { ArchivalStore, FoundPassage } from '../../schema/archives/archival.js';
import type { Effect } from '../../schema/turns/records.js';
import type { ActivityDeps } from '../deps.js';
import { readPeriod, unreadableDate } from './search-period.js';
import { done, listArgument, numberArgument, refused, type SearchingTool, textArgument } from './outcome.js';

/** The most results, whatever the model asks for. */
const mostResults = 50;

/** Stores one passage with its vector. Its id is derived from the effect, so a second try stores nothing new. */
export function archivalMemoryInsert(archival: ArchivalStore): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, effect, embedder, signal }) {
      const content = textArgument(effect, 'content');
      if (content.trim() === '')
        return () => Promise.resolve(refused('There is nothing to store: content is empty.'));
      const model = embedder();
      const [vector] = await model.embed([content], { signal });
      return async ({ tx }) => {
        await archival.insert(tx, agent.id, [
          {
            id: derivedId('passage', effect.turnId, effect.id),
            text: content,
            tags: listArgument(effect, 'tags') ?? [],
            ...(vector === undefined ? {} : { embedding: { vector, model: model.description.handle } }),
          },
        ]);
        return done('Stored in archival memory.');
      };
    },
  };
}

/** What a search of archival memory needs. */
export type SearchDeps = Pick<ActivityDeps, 'db' | 'archival' | 'embeddings'>;

/** The best passages by identifiers, words and meaning together. */
export function archivalMemorySearch({ db, archival, embeddings }: SearchDeps): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, effect, signal }) {
      const query = textArgument(effect, 'query');
      const stretch = readPeriod(
        textArgument(effect, 'start_datetime'),
        textArgument(effect, 'end_datetime'),
      );
      if ('unreadable' in stretch) return () => Promise.resolve(refused(unreadableDate(stretch.unreadable)));
      const others = await sourceEmbeddings(db, agent.id);
      const wanted = { text: query, own: agent.embedding, others };
      const { embedding, others: otherEmbeddings } = await embedQuery(embeddings, wanted, { signal });
      const found = await archival.search(db, {
        agentId: agent.id,
        query,
        embedding,
        otherEmbeddings,
        limit: Math.min(mostResults, Math.max(1, numberArgument(effect, 'top_k', 5))),
        tags: listArgument(effect, 'tags'),
        tagMatch: tagMatch(effect),
        ...stretch,
      });
      return () => Promise.resolve(done(render(found)));
    },
  };
}

/** Whether a passage needs all of the call's tags or any. */
export function tagMatch(effect: Effect): 'any' | 'all' {
  return effect.arguments['tag_match_mode'] === 'all' ? 'all' : 'any';
}

function render(found: readonly FoundPassage[]): string {
  if (found.length === 0) return 'No passages found.';
  return JSON.stringify(
    found.map(({ passage }) => ({
      id: passage.id,
      timestamp: passage.createdAt.toISOString(),
      content: passage.text,
      tags: passage.tags,
      ...(passage.fileId === null ? {} : { file: passage.metadata['file_name'] }),
    })),
  );
}
