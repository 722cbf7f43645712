import { z } from 'zod';
import { idOf } from './ids-wire.js';

/** Path parameters that the routes of several files share. */
export const agentParams = z.object({ agent_id: idOf('agent') });
export const blockParams = z.object({ block_id: idOf('block') });
export const groupParams = z.object({ group_id: idOf('group') });
export const sourceParams = z.object({ source_id: idOf('source') });
export const toolParams = z.object({ tool_id: idOf('tool') });
