import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Revision } from '../api/types.js';

const names: Readonly<Record<Revision['actor'], string>> = {
  agent: 'the agent',
  user: 'you',
  sleep_time: 'sleep-time',
  tool: 'a tool',
  runtime: 'perdure',
};

/** Who made a change, with the way to the turn in which it was made. */
export function Author({ revision }: { readonly revision: Omit<Revision, 'block_id'> }) {
  const name = names[revision.actor];
  if (revision.run_id === null || revision.agent_id === null)
    return (
      <Text span size="xs" c="dimmed">
        {name}
      </Text>
    );
  return (
    <Anchor component={Link} size="xs" to={`/agents/${revision.agent_id}/turns/${revision.run_id}`}>
      {name}
    </Anchor>
  );
}
