import type { Command } from 'commander';
import { addCommand, type Context } from '../command-context.js';
import { findAgent } from '../find-agent.js';
import { toAge } from '../render/times.js';
import type { Terminal } from '../terminal.js';

interface FoundMessage {
  readonly agent_id: string;
  readonly created_at: string;
  readonly message_type: string;
  readonly content?: unknown;
  readonly reasoning?: string;
}

interface FoundPassage {
  readonly passage: { readonly id: string; readonly text: string; readonly created_at: string };
}

interface SearchOptions {
  readonly agent?: string;
  readonly limit: string;
  readonly messages?: boolean;
  readonly passages?: boolean;
}

/** `perdure search` */
export function searchCommand(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    terminal,
    {
      usage: 'search <words...>',
      description: 'search messages and archival memory, by words and by meaning',
    },
    search,
  )
    .option('--agent <agent>', 'of this agent alone')
    .option('--messages', 'messages alone')
    .option('--passages', 'archival memory alone')
    .option('--limit <count>', 'at most so many of each', '10');
}

async function search(context: Context, words: readonly string[], options: SearchOptions): Promise<void> {
  const { rest } = context;
  const agent = options.agent === undefined ? undefined : await findAgent(context, options.agent);
  const query = { query: words.join(' '), limit: Number(options.limit), agent_id: agent?.id };
  const both = options.messages !== true && options.passages !== true;
  const [messages, passages] = await Promise.all([
    both || options.messages === true ? rest.send<FoundMessage[]>('POST', '/v1/messages/search', query) : [],
    both || options.passages === true ? rest.send<FoundPassage[]>('POST', '/v1/passages/search', query) : [],
  ]);
  const now = Date.now();
  context.result({ messages, passages }, () => {
    const rows = [
      ...messages.map((one) => [one.message_type, toAge(one.created_at, now), textOf(one)]),
      ...passages.map(({ passage }) => ['passage', toAge(passage.created_at, now), passage.text]),
    ];
    return rows.length === 0 ? ['Nothing found.'] : context.table({ head: ['where', 'when', 'text'], rows });
  });
}

function textOf({ content, reasoning }: FoundMessage): string {
  if (typeof content === 'string') return content;
  return content === undefined ? (reasoning ?? '') : JSON.stringify(content);
}
