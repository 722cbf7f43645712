import { CopyButton, Text, Tooltip, UnstyledButton } from '@mantine/core';

/** An id, shortened; a click copies the whole. */
export function ShortId({ id }: { readonly id: string }) {
  const [kind, ...rest] = id.split('-');
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : id}>
          <UnstyledButton onClick={copy} aria-label={`Copy ${id}`}>
            <Text component="span" size="xs" ff="monospace" c="dimmed">
              {`${kind ?? ''}-${(rest[0] ?? '').slice(0, 8)}`}
            </Text>
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}
