import { Kbd, Modal, NavLink, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { find, type Hit } from './finding.js';

/** Finds agents, blocks and messages by words, and opens them: ⌘K, arrows, Enter. */
export function Finder({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      size="lg"
      padding="xs"
      title={<VisuallyHidden>Find</VisuallyHidden>}
      styles={{ header: { minHeight: 0, padding: 0 } }}
      transitionProps={{ duration: 0 }}
      yOffset="12dvh"
    >
      {isOpen && <FinderBody onClose={onClose} />}
    </Modal>
  );
}

function FinderBody({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const [query] = useDebouncedValue(text.trim(), 150);
  const navigate = useNavigate();
  const { data: hits = [], isFetching } = useQuery({
    queryKey: ['find', query],
    queryFn: ({ signal }) => find(query, signal),
    placeholderData: keepPreviousData,
  });
  const open = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    onClose();
    void navigate(hit.path);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setPlace((now) => Math.min(now + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setPlace((now) => Math.max(now - 1, 0));
    else if (event.key === 'Enter') open(hits[place]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        size="md"
        variant="unstyled"
        px="xs"
        data-autofocus
        aria-label="Find an agent, a block or a message"
        placeholder="Find an agent, a block or a message"
        value={text}
        onKeyDown={onKey}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setPlace(0);
        }}
      />
      {hits.map((hit, index) => (
        <NavLink
          key={hit.key}
          active={index === place}
          label={hit.title}
          description={hit.detail}
          noWrap
          component="button"
          onClick={() => open(hit)}
        />
      ))}
      {hits.length === 0 && !isFetching && (
        <Text size="sm" c="dimmed" p="xs">
          Nothing found. Try other words.
        </Text>
      )}
      <Text size="xs" c="dimmed" p="xs">
        <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> to choose, <Kbd size="xs">Enter</Kbd> to open,{' '}
        <Kbd size="xs">Esc</Kbd> to close
      </Text>
    </>
  );
}
