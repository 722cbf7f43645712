import { embedQuery } from '../../adapters/embeddings/query-embeddings.js';
import { fuse } from '../../core/archives/search.js';
import { type RecallPage, recallPage, type RecallScope, scopesOf } from '../../core/tools/unified-recall.js';
import { sourceEmbeddings } from '../../schema/files/agent-sources.js';
import type { FoundPassage } from '../../schema/archives/archival.js';
import type { Passage } from '../../schema/archives/passages.js';
import { type FoundMessage, searchMessages } from '../../schema/threads/recall.js';
import type { Effect } from '../../schema/turns/records.js';
import type { ActivityDeps } from '../deps.js';
import { requestMissingEmbeddings, unindexedNote } from '../threads/recall-index.js';
import { tagMatch } from './archival.js';
import { readPeriod, type Period, unreadableDate } from './search-period.js';
import { done, listArgument, numberArgument, refused, type SearchingTool, textArgument } from './outcome.js';
import { isRecallRole, spokenText } from './recall.js';

type RecallDeps = Pick<ActivityDeps, 'db' | 'archival' | 'embeddings' | 'vectors'>;

/** A result, as the model reads it. */
interface Found {
  readonly from: RecallScope;
  readonly id: string;
  readonly createdAt: Date;
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Searches messages, passages and files together, and merges their rankings by reciprocal rank. */
export function recall(deps: RecallDeps): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, threadId, effect, embedder, signal }) {
      const stretch = readPeriod(textArgument(effect, 'start_date'), textArgument(effect, 'end_date'));
      if ('unreadable' in stretch) return () => Promise.resolve(refused(unreadableDate(stretch.unreadable)));
      const page = recallPage(numberArgument(effect, 'limit', 5), numberArgument(effect, 'page', 1));
      if (page === undefined) return () => Promise.resolve(done(answer(noMore, [])));
      const scopes = scopesOf({
        scope: listArgument(effect, 'scope'),
        roles: listArgument(effect, 'roles'),
        tags: listArgument(effect, 'tags'),
      });
      const text = textArgument(effect, 'query').trim();
      const others = scopes.includes('files') ? await sourceEmbeddings(deps.db, agent.id) : [];
      const meant = await embedQuery(deps.embeddings, { text, own: agent.embedding, others }, { signal });
      const unindexed =
        text !== '' && scopes.includes('messages')
          ? await requestMissingEmbeddings(deps.db, {
              agentId: agent.id,
              threadId,
              model: embedder().description.handle,
            })
          : 0;
      const asked: Asked = { agentId: agent.id, effect, text, meant, stretch, limit: page.depth };
      const found = await Promise.all(scopes.map((scope) => look(deps, scope, asked)));
      return () => Promise.resolve(done(render(found, { page, isRanked: text !== '', unindexed })));
    },
  };
}

interface Asked {
  readonly agentId: string;
  readonly effect: Effect;
  readonly text: string;
  readonly meant: Awaited<ReturnType<typeof embedQuery>>;
  readonly stretch: Period;
  readonly limit: number;
}

async function look(deps: RecallDeps, scope: RecallScope, asked: Asked): Promise<readonly Found[]> {
  const { agentId, effect, text: query, meant, stretch, limit } = asked;
  const search = { agentId, query, embedding: meant.embedding, ...stretch, limit };
  switch (scope) {
    case 'messages': {
      const roles = listArgument(effect, 'roles')?.filter(isRecallRole);
      const found = { ...search, roles, searchingTurn: effect.turnId };
      return (await searchMessages(deps.db, deps.vectors, found)).map(ofMessage);
    }
    case 'passages': {
      const narrowed = { tags: listArgument(effect, 'tags'), tagMatch: tagMatch(effect) };
      return (await deps.archival.search(deps.db, { ...search, ...narrowed, reach: 'archives' })).map(
        ofPassage,
      );
    }
    case 'files': {
      const found = { ...search, otherEmbeddings: meant.others, reach: 'files' } as const;
      return (await deps.archival.search(deps.db, found)).map(ofFile);
    }
  }
}

function ofMessage({ message }: FoundMessage): Found {
  const { id, createdAt, body } = message;
  return { from: 'messages', id, createdAt, shown: { role: body.kind, content: spokenText(message) } };
}

function ofPassage({ passage: { id, createdAt, text, tags } }: FoundPassage): Found {
  return { from: 'passages', id, createdAt, shown: { tags, content: text } };
}

function ofFile({ passage }: FoundPassage): Found {
  const { id, createdAt, text } = passage;
  return { from: 'files', id, createdAt, shown: { ...placeOf(passage), content: text } };
}

function placeOf({ metadata }: Passage): Record<string, unknown> {
  const { file_name: file, first_line: firstLine, last_line: lastLine } = metadata;
  return { file, lines: `${String(firstLine)}-${String(lastLine)}` };
}

/** Ranked results have scores. Without a query, results are sorted by time, newest first. */
function render(
  found: readonly (readonly Found[])[],
  {
    page,
    isRanked,
    unindexed,
  }: { readonly page: RecallPage; readonly isRanked: boolean; readonly unindexed: number },
): string {
  const byId = new Map(found.flat().map((each) => [each.id, each]));
  const ranked = isRanked
    ? fuse(found.map((list) => list.map((each) => each.id)))
    : [...byId.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const shown = ranked.slice(page.from, page.to);
  const results = shown.flatMap((entry) => {
    const each = byId.get(entry.id);
    if (each === undefined) return [];
    const score = 'score' in entry ? { score: Number(entry.score.toFixed(4)) } : {};
    return [
      { from: each.from, id: each.id, timestamp: each.createdAt.toISOString(), ...score, ...each.shown },
    ];
  });
  return answer(opening(results.length, ranked.length, page), results, unindexedNote(unindexed));
}

function answer(message: string, results: readonly unknown[], note?: string): string {
  return JSON.stringify({ message, ...(note === undefined ? {} : { note }), results });
}

const noMore = 'There are no more results.';

function opening(count: number, known: number, { from, to, next }: RecallPage): string {
  if (count === 0) return from === 0 ? 'No results found.' : noMore;
  const more = known > to && next !== null ? ` Call again with page=${next} for more.` : '';
  return `Results ${from + 1} to ${from + count}.${more}`;
}
