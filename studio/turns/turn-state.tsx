import { Badge } from '@mantine/core';
import type { Run } from '../api/types.js';
import { inWords } from '../parts/stop-reasons.js';

const colors = {
  created: 'gray',
  running: 'blue',
  completed: 'pine',
  failed: 'red',
  cancelled: 'gray',
} as const;

/** How a turn stands, and why it ended. */
export function TurnState({ run }: { readonly run: Run }) {
  return (
    <Badge variant="dot" size="sm" color={colors[run.status]} tt="none" fw={500}>
      {inWords(run.stop_reason ?? run.status)}
    </Badge>
  );
}
