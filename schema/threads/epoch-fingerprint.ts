import { createHash } from 'node:crypto';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { AttachedBlock } from './epochs.js';
import type { LoopAgent } from '../turns/loop-agent.js';

/**
 * What a prefix is made from, in brief: an epoch with another fingerprint holds no more. Values of blocks are not in it,
 * because their changes are told within an epoch.
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
