import type { Migration } from 'kysely';
import * as agents from './0001-agents.js';
import * as blocks from './0002-blocks.js';
import * as transcript from './0003-transcript.js';
import * as turns from './0004-turns.js';
import * as passages from './0005-passages.js';
import * as messagesByEmbedding from './0006-messages-by-embedding.js';
import * as fragmentsByAge from './0007-fragments-by-age.js';
import * as upkeep from './0008-upkeep.js';
import * as blockEvents from './0009-block-events.js';
import * as customTools from './0010-custom-tools.js';
import * as sources from './0011-sources.js';
import * as groups from './0012-groups.js';
import * as refinements from './0012-refinements.js';
import * as schedules from './0012-schedules.js';
import * as conversations from './0013-conversations.js';
import * as edges from './0014-edges.js';
import * as stepFeedback from './0015-step-feedback.js';
import * as orderedTools from './0016-ordered-tools.js';
import * as fileWindows from './0017-file-windows.js';
import * as mcpServers from './0017-mcp-servers.js';
import * as approvals from './0018-approvals.js';
import * as timeTravel from './0018-time-travel.js';
import * as unusedColumns from './0019-unused-columns.js';
import * as talks from './0022-talks.js';
import * as turnCallbacks from './0022-turn-callbacks.js';
import * as unfinishedAsking from './0022-unfinished-asking.js';
import * as passageStores from './0023-passage-stores.js';
import * as pinnedPassages from './0023-pinned-passages.js';
import * as overridingTools from './0025-overriding-tools.js';
import * as identities from './0026-identities.js';
import * as agentImports from './0027-agent-imports.js';
import * as toolsInHand from './0028-tools-in-hand.js';
import * as workInHand from './0028-work-in-hand.js';
import * as turnsByCompletion from './0029-turns-by-completion.js';
import * as refinementPassages from './0030-refinement-passages.js';
import * as workers from './0031-workers.js';
import * as indexes from './0041-indexes.js';
import * as upkeepRows from './0042-upkeep-rows.js';
import * as runtimeBinding from './0051-runtime-binding.js';
import * as filesLimit from './0081-files-limit.js';
import * as estimatedSteps from './0091-estimated-steps.js';
import * as recallIndexing from './0092-recall-indexing.js';
import * as vectorSizes from './0093-vector-sizes.js';
import * as secretKeys from './0101-secret-keys.js';
import * as madeBy from './0102-made-by.js';
import * as heldCalls from './0111-held-calls.js';
import * as firstTokens from './0112-first-tokens.js';
import * as deaths from './0121-deaths.js';
import * as wordsAtHand from './0131-words-at-hand.js';
import * as agentEnds from './0132-agent-ends.js';

/** Every migration by its name, in order. A landed migration is never edited: a change is a new one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-agents': agents,
  '0002-blocks': blocks,
  '0003-transcript': transcript,
  '0004-turns': turns,
  '0005-passages': passages,
  '0006-messages-by-embedding': messagesByEmbedding,
  '0007-fragments-by-age': fragmentsByAge,
  '0008-upkeep': upkeep,
  '0009-block-events': blockEvents,
  '0010-custom-tools': customTools,
  '0011-sources': sources,
  '0012-groups': groups,
  '0012-refinements': refinements,
  '0012-schedules': schedules,
  '0013-conversations': conversations,
  '0014-edges': edges,
  '0015-step-feedback': stepFeedback,
  '0016-ordered-tools': orderedTools,
  '0017-file-windows': fileWindows,
  '0017-mcp-servers': mcpServers,
  '0018-approvals': approvals,
  '0018-time-travel': timeTravel,
  '0019-unused-columns': unusedColumns,
  '0022-talks': talks,
  '0022-turn-callbacks': turnCallbacks,
  '0022-unfinished-asking': unfinishedAsking,
  '0023-passage-stores': passageStores,
  '0023-pinned-passages': pinnedPassages,
  '0025-overriding-tools': overridingTools,
  '0026-identities': identities,
  '0027-agent-imports': agentImports,
  '0028-tools-in-hand': toolsInHand,
  '0028-work-in-hand': workInHand,
  '0029-turns-by-completion': turnsByCompletion,
  '0030-refinement-passages': refinementPassages,
  '0031-workers': workers,
  '0041-indexes': indexes,
  '0042-upkeep-rows': upkeepRows,
  '0051-runtime-binding': runtimeBinding,
  '0081-files-limit': filesLimit,
  '0091-estimated-steps': estimatedSteps,
  '0092-recall-indexing': recallIndexing,
  '0093-vector-sizes': vectorSizes,
  '0101-secret-keys': secretKeys,
  '0102-made-by': madeBy,
  '0111-held-calls': heldCalls,
  '0112-first-tokens': firstTokens,
  '0121-deaths': deaths,
  '0131-words-at-hand': wordsAtHand,
  '0132-agent-ends': agentEnds,
};
