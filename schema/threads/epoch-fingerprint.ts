import { createHash } from 'node:crypto';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { AttachedBlock } from './epochs.js';
import type { LoopAgent } from './loop-agent.js';

/**
 * Identifies what a prefix was compiled from: when it changes, the epoch ends. Values of blocks are not included,
 * because their changes are told by notices within an epoch.
 */
export function fingerprintOf(
  agent: LoopAgent,
  blocks: readonly AttachedBlock[],
  extension: ExtensionDescription | undefined,
): string {
  const parts = [
    agent.system,
    agent.agentType,
    agent.timezone,
    agent.toolRules,
    agent.modelSettings.reasoningEffort,
    agent.tools.map((tool) => tool.schema),
    blocks.map(({ blockId, label, description, limit, readOnly }) => [
      ...[blockId, label, description, limit, readOnly],
    ]),
    ...(agent.filesMark === null ? [] : [agent.filesMark]),
    ...(extension?.compiles === true ? [[extension.name, extension.version]] : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
