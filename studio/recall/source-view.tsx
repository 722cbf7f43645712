import { ActionIcon, Button, Group, Progress, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Source, SourceFile } from '../api/types.js';
import { DeletionQuestion } from '../parts/deletion-question.js';
import { TrashIcon } from '../parts/icons.js';
import { Loading, Problem } from '../parts/states.js';
import { Time } from '../parts/times.js';
import { isBusy, useSourceFiles } from './file-queries.js';
import classes from './recall.module.css';

const states = {
  pending: 'waits for a worker',
  parsing: 'is read',
  embedding: 'becomes passages',
  completed: 'ready',
  error: 'failed',
} as const;

/** A folder with its files: how far each is read in, delete one, detach the folder. */
export function SourceView({ agentId, source }: { readonly agentId: string; readonly source: Source }) {
  const files = useSourceFiles(source.id);
  const queries = useQueryClient();
  const detachment = useMutation({
    mutationFn: () => call(`/v1/agents/${agentId}/folders/detach/${source.id}`, { method: 'PATCH' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.agent(agentId) }),
  });
  return (
    <section aria-label={`Folder ${source.name}`} className={classes.source}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} lineClamp={1}>
          {source.name}
        </Title>
        <Button
          variant="default"
          size="compact-xs"
          loading={detachment.isPending}
          onClick={() => detachment.mutate()}
        >
          Detach
        </Button>
      </Group>
      {detachment.error !== null && <Problem error={detachment.error} />}
      {files.isPending && <Loading />}
      {files.error !== null && <Problem error={files.error} onRetry={() => void files.refetch()} />}
      {files.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          The folder is empty.
        </Text>
      )}
      <ul className={classes.list} aria-label={`Files of ${source.name}`}>
        {files.data?.map((file) => (
          <FileRow key={file.id} file={file} />
        ))}
      </ul>
    </section>
  );
}

function FileRow({ file }: { readonly file: SourceFile }) {
  const [isDeleting, setDeleting] = useState(false);
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => call(`/v1/folders/${file.source_id}/${file.id}`, { method: 'DELETE' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['source-files', file.source_id] }),
  });
  return (
    <li className={classes.item}>
      <Group justify="space-between" wrap="nowrap" gap={8}>
        <div>
          <Text size="sm">{file.file_name}</Text>
          <Text size="xs" c={file.processing_status === 'error' ? 'red' : 'dimmed'} component="div">
            {[toSize(file.file_size), states[file.processing_status], toProgress(file)]
              .filter(Boolean)
              .join(' · ')}{' '}
            · <Time value={file.created_at} />
          </Text>
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete ${file.file_name}`}
          onClick={() => setDeleting(true)}
        >
          <TrashIcon />
        </ActionIcon>
      </Group>
      {isBusy(file) && (
        <Progress
          mt={6}
          size={3}
          value={file.total_chunks ? (100 * (file.chunks_embedded ?? 0)) / file.total_chunks : 0}
          aria-label={`How far ${file.file_name} is read in`}
        />
      )}
      {file.error_message !== null && (
        <Text size="xs" c="red">
          {file.error_message}
        </Text>
      )}
      {isDeleting && (
        <DeletionQuestion
          question="Delete it with its passages, for all agents that have the folder?"
          isPending={deletion.isPending}
          onDelete={() => deletion.mutate()}
          onKeep={() => setDeleting(false)}
        />
      )}
      {deletion.error !== null && (
        <Text size="xs" c="red" role="alert">
          {deletion.error.message}
        </Text>
      )}
    </li>
  );
}

function toProgress({ total_chunks: total, chunks_embedded: done }: SourceFile): string {
  return total === null ? '' : `${done ?? 0} of ${total} passages`;
}

/** A size in bytes as people say it. */
function toSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
