import { ActionIcon, FileButton, Group, Image, Text, Textarea, Tooltip, UnstyledButton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Run } from '../api/types.js';
import { ImageIcon, SendIcon } from '../parts/icons.js';
import classes from './talk.module.css';

interface Attached {
  readonly name: string;
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** Where a message is written. Enter sends; while the agent is busy the message waits its turn. */
export function Composer({ agentId, isBusy }: { readonly agentId: string; readonly isBusy: boolean }) {
  const [text, setText] = useState('');
  const [images, setImages] = useState<readonly Attached[]>([]);
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () =>
      call<Run>(`/v1/agents/${agentId}/messages/async`, {
        body: { messages: [{ role: 'user', content: toContent(text, images) }], stream_tokens: true },
      }),
    onSuccess: (run) => {
      setText('');
      setImages([]);
      queries.setQueryData<Run[]>(keys.activeRuns(agentId), (runs = []) => [...runs, run]);
      void queries.invalidateQueries({ queryKey: keys.messages(agentId) });
    },
  });
  const attach = async (files: readonly File[]): Promise<void> => {
    const read = await Promise.all(files.map(readImage));
    setImages((before) => [...before, ...read]);
  };
  const isEmpty = text.trim() === '' && images.length === 0;
  const send = (): void => {
    if (!isEmpty && !sending.isPending) sending.mutate();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files].filter(({ type }) => type.startsWith('image/'));
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  return (
    <div className={classes.composer}>
      {sending.error !== null && (
        <Text size="xs" c="red" role="alert" mb={4}>
          {sending.error.message} Your text is still here.
        </Text>
      )}
      {images.length > 0 && (
        <Group gap={6} mb={6}>
          {images.map((image, place) => (
            <Tooltip key={image.name + String(place)} label="Remove">
              <UnstyledButton
                aria-label={`Remove ${image.name}`}
                onClick={() => setImages(images.filter((one) => one !== image))}
              >
                <Image
                  h={48}
                  w="auto"
                  radius="sm"
                  alt={image.name}
                  src={`data:${image.mediaType};base64,${image.data}`}
                />
              </UnstyledButton>
            </Tooltip>
          ))}
        </Group>
      )}
      <Group gap={6} align="flex-end" wrap="nowrap">
        <Textarea
          flex={1}
          size="sm"
          autosize
          minRows={1}
          maxRows={10}
          aria-label="Message"
          placeholder={isBusy ? 'Write on: it is answered after this turn' : 'Message'}
          value={text}
          onKeyDown={onKey}
          onPaste={onPaste}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <FileButton
          multiple
          accept="image/png,image/jpeg,image/webp,image/gif"
          onChange={(files) => void attach(files)}
        >
          {(props) => (
            <Tooltip label="Add an image">
              <ActionIcon variant="subtle" color="gray" size={34} aria-label="Add an image" {...props}>
                <ImageIcon />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
        <ActionIcon size={34} aria-label="Send" onClick={send} disabled={isEmpty} loading={sending.isPending}>
          <SendIcon />
        </ActionIcon>
      </Group>
    </div>
  );
}

function toContent(text: string, images: readonly Attached[]): unknown {
  if (images.length === 0) return text;
  const shown = images.map(({ mediaType, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: mediaType, data },
  }));
  return text.trim() === '' ? shown : [{ type: 'text', text }, ...shown];
}

function readImage(file: File): Promise<Attached> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error(`${file.name} can’t be read.`));
    reader.onload = () => {
      const [, data = ''] = (reader.result as string).split(',');
      resolve({ name: file.name, mediaType: file.type, data });
    };
    reader.readAsDataURL(file);
  });
}
