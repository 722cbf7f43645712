import { Alert, Anchor, Box, Button, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../api/client.js';

/** What went wrong, in the server's words, and another try. */
export function Problem({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const isAway = error instanceof ApiError && error.status === 0;
  return (
    <Alert
      color={isAway ? 'gray' : 'red'}
      variant="light"
      m="md"
      title={isAway ? 'Not connected' : 'That did not work'}
      role="alert"
    >
      <Text size="sm">{error.message}</Text>
      {onRetry !== undefined && (
        <Button variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** There is nothing yet: says so, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <Stack gap={4} p="xl" align="center" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" component="div" maw={440}>
        {children}
      </Text>
    </Stack>
  );
}

export function NotFound({ what }: { readonly what: string }) {
  return (
    <Empty title={`There is no such ${what}`}>
      It was deleted, or the address is wrong.{' '}
      <Anchor component={Link} to="/">
        See all agents
      </Anchor>
    </Empty>
  );
}

export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <Box p="md" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} h={14} mb={10} w={`${90 - ((line * 17) % 40)}%`} />
      ))}
    </Box>
  );
}
