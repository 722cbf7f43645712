import { cosine, fuse } from '../../core/archives/search.js';
import { rankToolsByWords } from '../../schema/tools/tool-search.js';
import { listTools, type Tool } from '../../schema/tools/tools.js';
import type { RouteContext } from '../context.js';

/** A search for tools. */
export interface ToolQuery {
  readonly query: string;
  readonly mode: 'vector' | 'fts' | 'hybrid';
  readonly toolTypes: readonly string[] | undefined;
  /** Tools with any of these tags; absent: all tools. */
  readonly tags: readonly string[] | undefined;
  readonly limit: number;
}

/** A tool that was found. Ranks begin at 1; null where that search did not find it or was not run. */
export interface FoundTool {
  readonly tool: Tool;
  readonly text: string;
  readonly wordRank: number | null;
  readonly vectorRank: number | null;
  readonly score: number;
}

/**
 * Searches tools by the meaning and the words of their names and descriptions, best first. Without a query: all tools,
 * newest first. The texts are embedded each time: there are few, and they change with their tools.
 */
export async function searchTools(context: RouteContext, asked: ToolQuery): Promise<readonly FoundTool[]> {
  const { query, mode, toolTypes, tags, limit } = asked;
  const tools = (await listTools(context.db, { toolTypes }, { order: 'desc' })).filter(
    (tool) => tags === undefined || tool.tags.some((tag) => tags.includes(tag)),
  );
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const isAsked = query.trim() !== '' && tools.length > 0;
  const words =
    isAsked && mode !== 'vector' ? await rankToolsByWords(context.db, [...byId.keys()], query) : [];
  const vectors = isAsked && mode !== 'fts' ? await rankByMeaning(context, tools, query) : [];
  const ranked = isAsked ? fuse([words, vectors]) : tools.map(({ id }) => ({ id, score: 0 }));
  return ranked.slice(0, limit).flatMap(({ id, score }) => {
    const tool = byId.get(id);
    if (tool === undefined) return [];
    return [
      { tool, text: textOf(tool), score, wordRank: rankIn(words, id), vectorRank: rankIn(vectors, id) },
    ];
  });
}

async function rankByMeaning(
  { embeddings }: RouteContext,
  tools: readonly Tool[],
  query: string,
): Promise<readonly string[]> {
  const [wanted = [], ...vectors] = await embeddings.resolve().embed([query, ...tools.map(textOf)]);
  return tools
    .map(({ id }, index) => ({ id, closeness: cosine(wanted, vectors[index] ?? []) }))
    .sort((a, b) => b.closeness - a.closeness)
    .map(({ id }) => id);
}

function textOf({ name, description }: Tool): string {
  return `${name.replaceAll('_', ' ')}: ${description}`;
}

function rankIn(ids: readonly string[], id: string): number | null {
  const index = ids.indexOf(id);
  return index < 0 ? null : index + 1;
}
