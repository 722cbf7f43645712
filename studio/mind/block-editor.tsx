import { Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../api/client.js';
import type { Block } from '../api/types.js';
import { BlockValue } from './block-value.js';

interface BlockEditorProps {
  readonly block: Block;
  readonly onDone: () => void;
  readonly onStored: (block: Block) => void;
}

/** Edits the value as it was when editing began. Where others changed it since, it shows theirs and asks again. */
export function BlockEditor({ block, onDone, onStored }: BlockEditorProps) {
  const [text, setText] = useState(block.value);
  const [base, setBase] = useState(block.revision);
  const save = useMutation({
    mutationFn: () =>
      call<Block>(`/v1/blocks/${block.id}`, {
        method: 'PATCH',
        body: { value: text },
        headers: { 'if-match': `"${base}"` },
      }),
    onSuccess: (stored) => {
      onStored(stored);
      onDone();
    },
  });
  const hasMoved = block.revision !== base;
  const isConflict = save.error instanceof ApiError && save.error.status === 409;
  return (
    <div>
      <Textarea
        autosize
        autoFocus
        minRows={3}
        maxRows={24}
        size="sm"
        aria-label={`Value of ${block.label}`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save.mutate();
        }}
      />
      {(hasMoved || isConflict) && (
        <div role="alert">
          <Text size="xs" c="orange" mt={6}>
            The block changed while you were editing. It says now:
          </Text>
          <BlockValue value={block.value} />
        </div>
      )}
      {save.error !== null && !isConflict && (
        <Text size="xs" c="red" role="alert" mt={6}>
          {save.error.message}
        </Text>
      )}
      <Group gap={6} mt={6}>
        {hasMoved ? (
          <Button
            color="orange"
            onClick={() => {
              setBase(block.revision);
              save.reset();
            }}
          >
            Keep my text instead
          </Button>
        ) : (
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        )}
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
    </div>
  );
}
