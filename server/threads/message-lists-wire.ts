import { pageFields, queryBoolean, queryList } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { z } from 'zod';

/** What a list of messages can be asked for. */
export const messageListQuery = z.object({
  ...pageFields(idOf('message'), 100),
  use_assistant_message: queryBoolean.optional(),
  assistant_message_tool_name: z.string().optional(),
  assistant_message_tool_kwarg: z.string().optional(),
  include_return_message_types: queryList.optional(),
});

/** What a list of one thread's messages can be asked for; `group_id`: only what that group's talks brought into it. */
export const threadListQuery = messageListQuery.extend({ group_id: idOf('group').optional() });
