import { ActionIcon, Badge, Button, Group, Text, Textarea, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import type { Passage } from '../api/types.js';
import { DeletionQuestion } from '../parts/deletion-question.js';
import { EditIcon, PinIcon, TrashIcon } from '../parts/icons.js';
import { Marked } from '../parts/marked.js';
import { ShortId } from '../parts/short-id.js';
import { Time } from '../parts/times.js';
import classes from './recall.module.css';

interface PassageViewProps {
  readonly agentId: string;
  readonly passage: Passage;
  readonly query: string;
  readonly isPinned: boolean;
}

type Change =
  | { readonly kind: 'edit'; readonly text: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'pin'; readonly isPinned: boolean };

/** One passage: pin it into the context, change it, delete it. */
export function PassageView({ agentId, passage, query, isPinned }: PassageViewProps) {
  const [draft, setDraft] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const queries = useQueryClient();
  const path = `/v1/agents/${agentId}/archival-memory/${passage.id}`;
  const change = useMutation({
    mutationFn: (wish: Change) => {
      switch (wish.kind) {
        case 'edit':
          return call(path, { method: 'PATCH', body: { text: wish.text } });
        case 'delete':
          return call(path, { method: 'DELETE' });
        case 'pin':
          return call(`${path}/pin`, { method: wish.isPinned ? 'PUT' : 'DELETE' });
      }
    },
    onSuccess: () => {
      setDraft(undefined);
      return queries.invalidateQueries({ queryKey: ['passages', agentId] });
    },
  });
  return (
    <li className={classes.item}>
      <Group justify="space-between" wrap="nowrap" gap={8}>
        <Group gap={8}>
          <Time value={passage.created_at} />
          <ShortId id={passage.id} />
          {passage.tags.map((tag) => (
            <Badge key={tag} size="xs" variant="default" tt="none">
              {tag}
            </Badge>
          ))}
        </Group>
        <Group gap={2} wrap="nowrap">
          <Tooltip label={isPinned ? 'Take it out of the context' : 'Pin it into the context'}>
            <ActionIcon
              variant={isPinned ? 'light' : 'subtle'}
              color={isPinned ? 'pine' : 'gray'}
              aria-label="Pin into the context"
              aria-pressed={isPinned}
              onClick={() => change.mutate({ kind: 'pin', isPinned: !isPinned })}
            >
              <PinIcon />
            </ActionIcon>
          </Tooltip>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Edit the passage"
            onClick={() => setDraft(passage.text)}
          >
            <EditIcon />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Delete the passage"
            onClick={() => setDeleting(true)}
          >
            <TrashIcon />
          </ActionIcon>
        </Group>
      </Group>
      {draft === undefined ? (
        <div className={classes.text}>
          <Marked text={passage.text} query={query} />
        </div>
      ) : (
        <>
          <Textarea
            autosize
            autoFocus
            aria-label="Text of the passage"
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
          />
          <Group gap={6} mt={6}>
            <Button
              loading={change.isPending}
              disabled={draft.trim() === ''}
              onClick={() => change.mutate({ kind: 'edit', text: draft })}
            >
              Save
            </Button>
            <Button variant="default" onClick={() => setDraft(undefined)}>
              Cancel
            </Button>
          </Group>
        </>
      )}
      {isDeleting && (
        <DeletionQuestion
          question="Delete it for good?"
          isPending={change.isPending}
          onDelete={() => change.mutate({ kind: 'delete' })}
          onKeep={() => setDeleting(false)}
        />
      )}
      {change.error !== null && (
        <Text size="xs" c="red" role="alert">
          {change.error.message}
        </Text>
      )}
    </li>
  );
}
