import type { AgentType } from '../agents/agents.js';
import { parameters, type BuiltinTool } from './builtin-tool.js';

const file = { toolType: 'letta_files_core', tags: ['letta_files_core'] } as const;

const fileName = { type: 'string', description: 'Name of the file, as <directories> shows it.' };
const offset = {
  type: 'integer',
  description: 'How many lines to skip: 0 shows the file from its first line. Default: 0.',
};
const length = {
  type: 'integer',
  description: 'How many lines to show. Default: as many as fit into the window of a file.',
};
const pattern = {
  type: 'string',
  description: 'Regular expression (JavaScript), whatever its case, which is matched line by line.',
};
const contextLines = {
  type: 'integer',
  default: 1,
  description: 'How many lines to show before and after each match.',
};
const matchOffset = {
  type: 'integer',
  default: 0,
  description: 'How many matches to skip. A search returns 20, with the offset of the next ones.',
};
const query = {
  type: 'string',
  description: 'What to search for, as a question or in the words that a file may use.',
};
const limit = { type: 'integer', default: 5, description: 'How many passages to return at most.' };

/** Opens files in the context. */
const openFiles: BuiltinTool = {
  ...file,
  name: 'open_files',
  description:
    'Opens files: their lines are in your context from your next step on. Where too many are open, those that you opened longest ago are closed. Open a file again to see other lines of it.',
  parameters: parameters(
    {
      file_requests: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { file_name: fileName, offset, length },
          required: ['file_name'],
        },
        description: 'The files to open, and which of their lines.',
      },
      close_all_others: {
        type: 'boolean',
        default: false,
        description: 'Whether to close all files that are open now.',
      },
    },
    ['close_all_others'],
  ),
  effect: 'transactional',
};

/** Opens one file in the context. */
export const openFile: BuiltinTool = {
  ...file,
  name: 'open_file',
  description:
    'Opens a file: its lines are in your context from your next step on. Where too many are open, the one that you opened longest ago is closed. Open it again to see other lines of it.',
  parameters: parameters({ file_name: fileName, offset, length }, ['offset', 'length']),
  effect: 'transactional',
};

/** Closes a file. */
export const closeFile: BuiltinTool = {
  ...file,
  name: 'close_file',
  description: 'Closes a file that you no longer need in your context.',
  parameters: parameters({ file_name: fileName }),
  effect: 'transactional',
};

/** Finds lines in all files. */
const grepFiles: BuiltinTool = {
  ...file,
  name: 'grep_files',
  description: 'Finds lines of your files by a regular expression, with the lines around them.',
  parameters: parameters(
    {
      pattern,
      include: {
        type: 'string',
        description: 'Only files whose name matches this, where * stands for anything: *.md',
      },
      context_lines: contextLines,
      offset: matchOffset,
    },
    ['include', 'context_lines', 'offset'],
  ),
  effect: 'searching',
};

/** Finds lines in one file. */
export const grepFile: BuiltinTool = {
  ...file,
  name: 'grep_file',
  description: 'Finds lines of a file by a regular expression, with the lines around them.',
  parameters: parameters({ file_name: fileName, pattern, context_lines: contextLines, offset: matchOffset }, [
    'context_lines',
    'offset',
  ]),
  effect: 'searching',
};

/** Finds passages of all files by meaning. */
const semanticSearchFiles: BuiltinTool = {
  ...file,
  name: 'semantic_search_files',
  description: 'Searches your files by meaning and by words. Returns the best passages with their lines.',
  parameters: parameters({ query, limit }, ['limit']),
  effect: 'searching',
};

/** Finds passages by meaning, of one file or all. */
export const searchFile: BuiltinTool = {
  ...file,
  name: 'search_file',
  description:
    'Searches a file, or all your files, by meaning and by words. Returns the best passages with their lines.',
  parameters: parameters({ query, file_name: fileName, limit }, ['file_name', 'limit']),
  effect: 'searching',
};

export const fileTools: readonly BuiltinTool[] = [
  openFiles,
  grepFiles,
  semanticSearchFiles,
  openFile,
  closeFile,
  grepFile,
  searchFile,
];

/** The file tools of an agent type. An agent gets them with its first source. */
export function fileToolNames(agentType: AgentType): readonly string[] {
  const own =
    agentType === 'memgpt_v2_agent'
      ? [openFile, closeFile, grepFile, searchFile]
      : [openFiles, grepFiles, semanticSearchFiles];
  return own.map((tool) => tool.name);
}
