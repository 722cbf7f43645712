import { z } from 'zod';
import type { AgentFile } from '../../schema/files/agent-files.js';

/** A file of an agent's sources, as the API shows it. */
export const wireAgentFile = z.object({
  id: z.string(),
  file_id: z.string(),
  file_name: z.string(),
  folder_id: z.string(),
  folder_name: z.string(),
  is_open: z.boolean(),
  last_accessed_at: z.string().nullable(),
  visible_content: z.string().nullable(),
  start_line: z.number().nullable(),
  end_line: z.number().nullable(),
});

/** A page of an agent's files. */
export const wireAgentFiles = z
  .object({ files: z.array(wireAgentFile), next_cursor: z.string().nullable(), has_more: z.boolean() })
  .meta({ id: 'PaginatedAgentFiles' });

/** `window`: the visible part of an open file. */
export function toWireAgentFile(
  file: AgentFile,
  window: { readonly text: string; readonly firstLine: number; readonly lastLine: number } | null,
): z.infer<typeof wireAgentFile> {
  return {
    id: file.fileId,
    file_id: file.fileId,
    file_name: file.name,
    folder_id: file.sourceId,
    folder_name: file.sourceName,
    is_open: file.isOpen,
    last_accessed_at: file.openedAt?.toISOString() ?? null,
    visible_content: window?.text ?? null,
    start_line: window?.firstLine ?? null,
    end_line: window?.lastLine ?? null,
  };
}
