import { Button, FileButton, Group, Select, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, Source } from '../api/types.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { sourcesOf, useAgentSources, useSources } from './file-queries.js';
import { SourceView } from './source-view.js';

/** The folders that the agent can read, their files, and how far each is read in. */
export function Files({ agent }: { readonly agent: Agent }) {
  const sources = useAgentSources(agent.id);
  if (sources.isPending) return <Loading lines={6} />;
  if (sources.error !== null) return <Problem error={sources.error} onRetry={() => void sources.refetch()} />;
  return (
    <>
      <AddFiles agent={agent} sources={sources.data} />
      {sources.data.length === 0 && (
        <Empty title="No files">
          Upload a document: it becomes passages that {agent.name} can open and search.
        </Empty>
      )}
      {sources.data.map((source) => (
        <SourceView key={source.id} agentId={agent.id} source={source} />
      ))}
    </>
  );
}

/** Uploads into the agent's newest folder, or into one that is made for it; attaches folders of others. */
function AddFiles({ agent, sources }: { readonly agent: Agent; readonly sources: readonly Source[] }) {
  const all = useSources();
  const queries = useQueryClient();
  // A folder that could not be attached is not made a second time.
  const [made, setMade] = useState<string>();
  const attach = (id: string): Promise<unknown> =>
    call(`/v1/agents/${agent.id}/folders/attach/${id}`, { method: 'PATCH' });
  const attachment = useMutation({
    mutationFn: attach,
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.agent(agent.id) }),
  });
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const known = sources.at(-1)?.id ?? made;
      const id = known ?? (await makeFolder(agent)).id;
      setMade(id);
      if (sources.length === 0) await attach(id);
      for (const file of files) await uploadFile(id, file);
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: sourcesOf(agent.id) });
      await queries.invalidateQueries({ queryKey: ['source-files'] });
    },
  });
  const has = new Set(sources.map(({ id }) => id));
  const others = all.data?.filter(({ id }) => !has.has(id)) ?? [];
  return (
    <>
      <Group justify="space-between" mb="sm">
        <FileButton multiple onChange={(files) => files.length > 0 && upload.mutate(files)}>
          {(props) => (
            <Button loading={upload.isPending} {...props}>
              Upload files …
            </Button>
          )}
        </FileButton>
        <Select
          aria-label="Attach a folder"
          placeholder="Attach a folder of others"
          w={240}
          searchable
          nothingFoundMessage="No such folder."
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          onChange={(id) => id !== null && attachment.mutate(id)}
        />
      </Group>
      {upload.isPending && (
        <Text size="xs" c="dimmed" role="status" mb="xs">
          Uploading …
        </Text>
      )}
      {upload.error !== null && <Problem error={upload.error} />}
      {attachment.error !== null && <Problem error={attachment.error} />}
    </>
  );
}

/** Folders' names are unique, so the agent's name gets the time. */
function makeFolder({ name, embedding }: Agent): Promise<Source> {
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ');
  return call<Source>('/v1/folders', { body: { name: `Files of ${name}, ${time}`, embedding } });
}

function uploadFile(sourceId: string, file: File): Promise<unknown> {
  const body = new FormData();
  body.append('file', file);
  return call(`/v1/folders/${sourceId}/upload`, { body });
}
