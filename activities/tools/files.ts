import { embedQuery } from '../../adapters/embeddings/query-embeddings.js';
import { grep, type GrepMatch } from '../../adapters/grep/grep.js';
import { sourceEmbeddings } from '../../schema/files/agent-sources.js';
import {
  type AgentFile,
  closeAgentFiles,
  fileLines,
  listAgentFiles,
  openAgentFiles,
  type OpenRequest,
  pathOf,
} from '../../schema/files/agent-files.js';
import { agentFileLimits } from '../../schema/files/agent-file-limits.js';
import type { Db, Tx } from '../../schema/db/database.js';
import type { Passage } from '../../schema/archives/passages.js';
import type { Effect } from '../../schema/turns/records.js';
import { searchFilePassages } from '../../schema/files/source-passages.js';
import type { ActivityDeps } from '../deps.js';
import {
  done,
  numberArgument,
  refused,
  type SearchingTool,
  textArgument,
  type ToolOutcome,
  type TransactionalTool,
} from './outcome.js';

type FileToolDeps = Pick<ActivityDeps, 'db' | 'embeddings' | 'models' | 'vectors'>;

/** Matches per page, the most matches collected, and the time for them. */
const pageSize = 20;
const mostMatches = 1_000;
const grepTimeoutMs = 5_000;
/** Characters shown of a matching line, and the most lines shown around it. */
const shownLine = 500;
const mostContext = 20;
const mostPassages = 50;

/** Opens files in the context. The result says which lines. */
export function openFiles({ models }: Pick<FileToolDeps, 'models'>): TransactionalTool {
  return {
    kind: 'transactional',
    async run({ tx, agent, effect }) {
      const files = await listAgentFiles(tx, agent.id);
      const wanted = requestsOf(effect).map((request) => ({ ...request, file: byName(files, request.name) }));
      const missing = wanted.find((each) => each.file === undefined);
      if (missing !== undefined) return noSuchFile(files, missing.name);
      const limits = await agentFileLimits(tx, agent.id, (handle) => models.resolve(handle).description);
      if (wanted.length > limits.files) {
        return refused(`At most ${limits.files} files can be open at once. Open fewer, or search instead.`);
      }
      const requests = wanted.flatMap((each) =>
        each.file === undefined ? [] : [toOpenRequest(each, each.file)],
      );
      const beyond = wanted.find(
        ({ file, offset }) => file !== undefined && offset >= Math.max(1, file.lines),
      );
      if (beyond?.file !== undefined) {
        return refused(
          `${beyond.name} has ${beyond.file.lines} lines; offset ${beyond.offset} is beyond its end.`,
        );
      }
      if (effect.arguments['close_all_others'] === true) {
        const open = files.filter((file) => file.isOpen).map((file) => file.fileId);
        await closeAgentFiles(tx, agent.id, open);
      }
      const closed = await openAgentFiles(tx, agent.id, requests, limits);
      return done(
        openedSentence(
          wanted.map((each) => each.name),
          namesOf(files, closed),
          limits.files,
        ),
      );
    },
  };
}

/** Closes a file. */
export const closeFile: TransactionalTool = {
  kind: 'transactional',
  async run({ tx, agent, effect }) {
    const files = await listAgentFiles(tx, agent.id);
    const file = byName(files, textArgument(effect, 'file_name'));
    if (file === undefined) return noSuchFile(files, textArgument(effect, 'file_name'));
    await closeAgentFiles(tx, agent.id, [file.fileId]);
    return done(file.isOpen ? `Closed ${file.name}.` : `${file.name} was not open.`);
  },
};

/** Finds lines by a regular expression, in one file or all. */
export function grepFiles({ db }: Pick<FileToolDeps, 'db'>): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, effect }) {
      const files = await listAgentFiles(db, agent.id);
      const chosen = chooseFiles(files, effect);
      const answer = 'ok' in chosen ? chosen : await grepIn(db, chosen.files, effect);
      return () => Promise.resolve(answer);
    },
  };
}

/** Finds passages by meaning and words, in one file or all. */
export function searchFiles({ db, embeddings, vectors }: FileToolDeps): SearchingTool {
  return {
    kind: 'searching',
    async prepare({ agent, effect, signal }) {
      const files = await listAgentFiles(db, agent.id);
      const chosen = chooseFiles(files, effect);
      if ('ok' in chosen) return () => Promise.resolve(chosen);
      const text = textArgument(effect, 'query');
      const others = await sourceEmbeddings(db, agent.id);
      const { embedding, others: otherEmbeddings } = await embedQuery(
        embeddings,
        { text, own: agent.embedding, others },
        { signal },
      );
      return async ({ tx }: { tx: Tx }) => {
        const found = await searchFilePassages(tx, vectors, {
          fileIds: chosen.files.map((file) => file.fileId),
          query: text,
          embedding,
          otherEmbeddings,
          limit: Math.min(mostPassages, Math.max(1, numberArgument(effect, 'limit', 5))),
        });
        return done(found.length === 0 ? 'No passages found.' : JSON.stringify(found.map(passageOf)));
      };
    },
  };
}

interface Requested {
  readonly name: string;
  readonly offset: number;
  readonly length: number | null;
}

/** The files that `open_files` and `open_file` ask for. Arguments already fit the schema. */
function requestsOf(effect: Effect): readonly Requested[] {
  const list = effect.arguments['file_requests'];
  const requests: readonly unknown[] = Array.isArray(list) ? list : [effect.arguments];
  return requests.map((request) => {
    const given = request as { file_name?: unknown; offset?: unknown; length?: unknown };
    return {
      name: typeof given.file_name === 'string' ? given.file_name : '',
      offset: typeof given.offset === 'number' ? Math.max(0, given.offset) : 0,
      length: typeof given.length === 'number' ? Math.max(1, given.length) : null,
    };
  });
}

function toOpenRequest({ offset, length }: Requested, { fileId }: AgentFile): OpenRequest {
  return { fileId, firstLine: offset + 1, lineCount: length };
}

function byName(files: readonly AgentFile[], name: string): AgentFile | undefined {
  // `source/file` distinguishes files of the same name in two sources.
  return files.find((file) => file.name === name || pathOf(file) === name);
}

function namesOf(files: readonly AgentFile[], ids: readonly string[]): readonly string[] {
  return files.filter((file) => ids.includes(file.fileId)).map(pathOf);
}

function openedSentence(opened: readonly string[], closed: readonly string[], limit: number): string {
  const first = `Opened ${opened.join(', ')}: see <directories> in your context.`;
  if (closed.length === 0) return first;
  return `${first} Closed ${closed.join(', ')}, because at most ${limit} files are open at once.`;
}

const mostListed = 30;

function noSuchFile(files: readonly AgentFile[], name: string): ToolOutcome {
  if (files.length === 0) return refused(`There is no file '${name}': no files are attached to you.`);
  const names = files.slice(0, mostListed).map(pathOf);
  const more = files.length > mostListed ? ` and ${files.length - mostListed} more` : '';
  return refused(`There is no file '${name}'. Your files are: ${names.join(', ')}${more}.`);
}

/** The files to search, or why there are none. */
function chooseFiles(
  files: readonly AgentFile[],
  effect: Effect,
): { readonly files: readonly AgentFile[] } | ToolOutcome {
  const name = textArgument(effect, 'file_name');
  const include = textArgument(effect, 'include');
  if (name !== '') {
    const file = byName(files, name);
    return file === undefined ? noSuchFile(files, name) : { files: [file] };
  }
  if (files.length === 0) return refused('No files are attached to you.');
  const chosen = include === '' ? files : files.filter((file) => fitsGlob(file.name, include));
  return chosen.length === 0
    ? refused(`None of your files has a name like '${include}'.`)
    : { files: chosen };
}

/**
 * Whether a name matches a pattern in which `*` matches anything. Does not run a regular expression of the model's.
 */
function fitsGlob(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  let left = name.toLowerCase();
  if (rest.length === 0) return left === first;
  if (!left.startsWith(first)) return false;
  left = left.slice(first.length);
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const at = left.indexOf(part);
    if (at === -1) return false;
    left = left.slice(at + part.length);
  }
  return left.endsWith(last);
}

async function grepIn(db: Db, files: readonly AgentFile[], effect: Effect): Promise<ToolOutcome> {
  async function* texts() {
    for (const file of files) {
      yield { file, lines: await fileLines(db, file.fileId, { firstLine: 1, lineCount: null }) };
    }
  }
  const pattern = textArgument(effect, 'pattern');
  const outcome = await grep(pattern, texts(), { timeoutMs: grepTimeoutMs, limit: mostMatches });
  switch (outcome.kind) {
    case 'invalid':
      return refused(
        `The pattern is not a regular expression: ${outcome.reason}. Correct it and call again.`,
      );
    case 'too_slow':
      return refused('The pattern takes too long to match. Write a simpler one, without nested repetition.');
    case 'found':
      return done(renderMatches(outcome.matches, outcome.complete, effect));
  }
}

function renderMatches(
  matches: readonly GrepMatch<{ readonly file: AgentFile; readonly lines: readonly string[] }>[],
  complete: boolean,
  effect: Effect,
): string {
  const offset = Math.max(0, Math.trunc(numberArgument(effect, 'offset', 0)));
  const around = Math.min(mostContext, Math.max(0, Math.trunc(numberArgument(effect, 'context_lines', 1))));
  const page = matches.slice(offset, offset + pageSize);
  const total = `${matches.length}${complete ? '' : ' or more'} total matches across ${filesIn(matches)} files`;
  if (page.length === 0) return offset === 0 ? 'No line matches.' : `Found ${total}: none beyond.`;
  const shown = page.map(({ text: { file, lines }, line }) => {
    const from = Math.max(0, line - around);
    const context = lines.slice(from, line + around + 1).map((each, index) => {
      const mark = from + index === line ? '>' : ' ';
      return `${mark} ${from + index + 1}: ${each.slice(0, shownLine)}`;
    });
    return [`=== ${pathOf(file)}`, ...context].join('\n');
  });
  const next = offset + page.length;
  const more = next < matches.length ? ` Call again with offset=${next} for more.` : '';
  return [`Found ${total}. Here are ${offset + 1} to ${next}.${more}`, ...shown].join('\n');
}

function filesIn(matches: readonly GrepMatch<{ readonly file: AgentFile }>[]): number {
  return new Set(matches.map(({ text }) => text.file.fileId)).size;
}

function passageOf({ id, text, metadata }: Passage): Record<string, unknown> {
  const { file_name: file, first_line: firstLine, last_line: lastLine } = metadata;
  return { id, file, lines: `${String(firstLine)}-${String(lastLine)}`, content: text };
}
