import { Button, CloseButton, Group, SegmentedControl, Slider, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, BlamedLine, Block, Revision } from '../api/types.js';
import { UnifiedDiff } from '../parts/line-diff.js';
import { Loading, Problem } from '../parts/states.js';
import { Time } from '../parts/times.js';
import { Author } from './authors.js';
import { revisionsOf, useBlame, useDifference } from './queries.js';
import classes from './mind.module.css';

/** The revisions of a block: what each said by line and author, what it changed, and the way back to it. */
export function BlockHistory({ agent, block }: { readonly agent: Agent; readonly block: Block }) {
  const [chosen, setChosen] = useState<number>();
  const [view, setView] = useState('blame');
  const navigate = useNavigate();
  const revisions = useQuery(revisionsOf(block.id));
  const shown = chosen ?? block.revision;
  const revision = revisions.data?.find((one) => one.revision === shown);
  const oldest = revisions.data?.at(-1)?.revision ?? 1;
  return (
    <section className={classes.history} aria-label={`History of ${block.label}`}>
      <Group justify="space-between" mb="xs">
        <Text fw={600}>{block.label}</Text>
        <CloseButton
          aria-label="Close the history"
          onClick={() => void navigate(`/agents/${agent.id}/mind`)}
        />
      </Group>
      {revisions.error !== null && <Problem error={revisions.error} />}
      {block.revision > 1 && (
        <Slider
          mb="sm"
          min={oldest}
          max={block.revision}
          value={shown}
          onChange={setChosen}
          label={(value) => `revision ${value}`}
          thumbLabel="Revision"
          size="sm"
        />
      )}
      <Group justify="space-between" mb="xs">
        <SegmentedControl
          size="xs"
          aria-label="How to show the revision"
          value={view}
          onChange={setView}
          data={[
            { value: 'blame', label: 'Lines and authors' },
            { value: 'diff', label: 'What changed' },
          ]}
        />
        <Restore block={block} revision={shown} agentId={agent.id} />
      </Group>
      {revision !== undefined && <RevisionHead revision={revision} />}
      {view === 'blame' ? (
        <Blame blockId={block.id} revision={shown} />
      ) : (
        <Difference blockId={block.id} revision={shown} />
      )}
      <ol className={classes.revisions} aria-label="Revisions, newest first">
        {revisions.data?.slice(0, 200).map((one) => (
          <li key={one.revision}>
            <button
              type="button"
              className={classes.revision}
              aria-current={one.revision === shown}
              onClick={() => setChosen(one.revision)}
            >
              <RevisionHead revision={one} />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function RevisionHead({ revision }: { readonly revision: Revision }) {
  return (
    <Group gap={8} wrap="nowrap">
      <Text size="xs" fw={600}>
        r{revision.revision}
      </Text>
      <Text size="xs">{revision.operation.kind}</Text>
      <Author revision={revision} />
      <Time value={revision.created_at} />
    </Group>
  );
}

function Blame({ blockId, revision }: { readonly blockId: string; readonly revision: number }) {
  const blame = useBlame(blockId, revision);
  if (blame.isPending) return <Loading />;
  if (blame.error !== null) return <Problem error={blame.error} />;
  return (
    <table className={classes.blame}>
      <thead className={classes.hidden}>
        <tr>
          <th>Revision</th>
          <th>Author</th>
          <th>Line</th>
        </tr>
      </thead>
      <tbody>
        {blame.data.map((line, place) => (
          <BlameRow key={line.line} line={line} isFirst={blame.data[place - 1]?.revision !== line.revision} />
        ))}
      </tbody>
    </table>
  );
}

function BlameRow({ line, isFirst }: { readonly line: BlamedLine; readonly isFirst: boolean }) {
  return (
    <tr data-first={isFirst}>
      <td className={classes.number}>{isFirst && `r${line.revision}`}</td>
      <td className={classes.author}>{isFirst && <Author revision={line} />}</td>
      <td>{line.text === '' ? '\u00a0' : line.text}</td>
    </tr>
  );
}

function Difference({ blockId, revision }: { readonly blockId: string; readonly revision: number }) {
  const difference = useDifference(blockId, revision);
  if (difference.isPending) return <Loading />;
  if (difference.error !== null) return <Problem error={difference.error} />;
  return difference.data.difference === '' ? (
    <Text size="sm" c="dimmed">
      {revision === 1 ? 'The block was made with this value.' : 'Its text stayed as it was.'}
    </Text>
  ) : (
    <UnifiedDiff text={difference.data.difference} />
  );
}

interface RestoreProps {
  readonly block: Block;
  readonly revision: number;
  readonly agentId: string;
}

function Restore({ block, revision, agentId }: RestoreProps) {
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () =>
      call<Block>(`/v1/blocks/${block.id}/restore`, {
        body: { revision },
        headers: { 'if-match': `"${block.revision}"` },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keys.blocks(agentId) });
      void queries.invalidateQueries({ queryKey: keys.block(block.id) });
    },
  });
  return (
    <Group gap={6}>
      {restore.error !== null && (
        <Text size="xs" c="red" role="alert">
          {restore.error.message}
        </Text>
      )}
      <Button
        variant="default"
        disabled={revision === block.revision}
        loading={restore.isPending}
        onClick={() => restore.mutate()}
      >
        Bring revision {revision} back
      </Button>
    </Group>
  );
}
