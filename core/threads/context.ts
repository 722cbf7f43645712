import { codePoints } from '../blocks/operations.js';
import type { Block } from '../blocks/blocks.js';
import { figureLines, type MemoryFigures } from './memory-figures.js';
import { compileDirectories, type Directories, directoryTags } from '../files/directories.js';
import { compilePins, pinTags, type PinnedPassage } from '../archives/pins.js';
import { clockface } from '../times.js';
import { describeRules, type ToolRule } from '../agents/tool-rules.js';

/** The fields of a block that the context shows. */
export type ContextBlock = Pick<Block, 'label' | 'description' | 'limit' | 'readOnly' | 'value'>;

/** All that a prompt's prefix is compiled from. */
export interface PromptSources {
  readonly agentId: string;
  readonly threadId: string;
  readonly instructions: string;
  readonly blocks: readonly ContextBlock[];
  readonly figures: MemoryFigures;
  readonly toolRules: readonly ToolRule[];
  /** Passages that are pinned into the context. */
  readonly pins?: readonly PinnedPassage[];
  /** The agent's sources, with the contents of its open files. */
  readonly directories?: Directories | null;
  /** Replaces evicted messages. */
  readonly summary: string | null;
  readonly compiledAt: Date;
  readonly timezone: string;
}

const placeholder = '{CORE_MEMORY}';

/**
 * The system prompt of a context epoch: the instructions and, at `{CORE_MEMORY}` or after them, blocks, tool rules,
 * memory figures and summary. Values appear unchanged, so that an agent can quote them in an edit. The only
 * exception: a closing tag of the prompt's own structure becomes `<\/tag>`, so that a value can't end its block and
 * pose as the prompt.
 */
export function compilePrefix(input: PromptSources): string {
  const guard = tagGuard(input.blocks.map((block) => tagName(block.label)));
  const memory = [
    compileBlocks(input.blocks, guard),
    section('tool_usage_rules', describeRules(input.toolRules), 'Follow these rules when you call tools:'),
    compilePins(input.pins ?? [], guard),
    input.directories == null ? '' : compileDirectories(input.directories, guard),
    section('memory_metadata', metadata(input)),
    section(
      'conversation_summary',
      guard(input.summary ?? ''),
      'Older messages of this conversation are no longer in your context. A summary of them:',
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
  const at = input.instructions.indexOf(placeholder);
  if (at === -1) return `${input.instructions.trimEnd()}\n\n${memory}`.trimStart();
  return input.instructions.slice(0, at) + memory + input.instructions.slice(at + placeholder.length);
}

type Guard = (text: string) => string;

function compileBlocks(blocks: readonly ContextBlock[], guard: Guard): string {
  const body = blocks.map((block) => compileBlock(block, guard)).join('\n\n');
  return section('memory_blocks', body, 'Your core memory. These blocks are always in your context:');
}

function compileBlock(block: ContextBlock, guard: Guard): string {
  const tag = tagName(block.label);
  return [
    `<${tag}>`,
    ...(block.description === null || block.description === ''
      ? []
      : ['<description>', guard(block.description), '</description>']),
    '<metadata>',
    ...(block.readOnly ? ['- read_only=true'] : []),
    `- chars_current=${codePoints(block.value)}`,
    `- chars_limit=${block.limit}`,
    '</metadata>',
    '<value>',
    guard(block.value),
    '</value>',
    `</${tag}>`,
  ].join('\n');
}

function section(tag: string, body: string, intro = ''): string {
  if (body === '') return '';
  return [`<${tag}>`, ...(intro === '' ? [] : [intro]), body, `</${tag}>`].join('\n');
}

function metadata({ agentId, threadId, compiledAt, timezone, figures }: PromptSources): string {
  return [
    `- AGENT_ID: ${agentId}`,
    `- CONVERSATION_ID: ${threadId === agentId ? 'default' : threadId}`,
    `- System prompt last recompiled: ${clockface(timezone).spoken(compiledAt)}`,
    ...figureLines(figures),
  ].join('\n');
}

const structure = [
  'memory_blocks',
  'tool_usage_rules',
  'memory_metadata',
  'conversation_summary',
  'description',
  'metadata',
  'value',
  ...directoryTags,
  ...pinTags,
];

function tagGuard(labels: readonly string[]): Guard {
  const names = [...structure, ...labels].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const closing = new RegExp(`</(?=\\s*(?:${names.join('|')})\\s*>)`, 'gi');
  return (text) => text.replace(closing, '<\\/');
}

/** A label as a tag name, without characters that would end the tag. */
function tagName(label: string): string {
  return label.replace(/[<>\s]+/g, '_');
}
