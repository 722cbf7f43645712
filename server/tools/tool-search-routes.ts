import { z } from 'zod';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { searchTools } from './tool-search.js';
import { toWireTool, wireTool } from './tools-wire.js';
import { describeRoute } from '../http/route-documentation.js';

const searchBody = z
  .object({
    query: z.string().nullish(),
    search_mode: z.enum(['vector', 'fts', 'hybrid']).default('hybrid'),
    tool_types: z.array(z.string()).nullish(),
    tags: z.array(z.string()).nullish(),
    limit: z.int().min(1).max(100).default(50),
  })
  .meta({ id: 'ToolSearchRequest' });

const foundTool = z
  .object({
    tool: wireTool,
    embedded_text: z.string(),
    fts_rank: z.int().nullable(),
    vector_rank: z.int().nullable(),
    combined_score: z.number(),
  })
  .meta({ id: 'ToolSearchResult' });

/** Searches tools by name and description. */
export function toolSearchRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/tools/search',
    {
      schema: {
        ...describeRoute('tools.search', 'Search tools by their names and descriptions'),
        body: searchBody,
        response: { 200: z.array(foundTool) },
      },
    },
    async ({ body }) => {
      const found = await searchTools(context, {
        query: body.query ?? '',
        mode: body.search_mode,
        toolTypes: body.tool_types ?? undefined,
        tags: body.tags ?? undefined,
        limit: body.limit,
      });
      return found.map(({ tool, text, wordRank, vectorRank, score }) => ({
        tool: toWireTool(tool),
        embedded_text: text,
        fts_rank: wordRank,
        vector_rank: vectorRank,
        combined_score: score,
      }));
    },
  );
}
