import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Agent, FoundMessage } from '../api/types.js';
import { textOf } from '../parts/found-text.js';
import { Marked } from '../parts/marked.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { Time } from '../parts/times.js';
import classes from './recall.module.css';

const names = {
  user_message: 'You',
  assistant_message: 'Agent',
  reasoning_message: 'Thought',
  system_message: 'Notice',
} as const;

/** Messages of the agent that fit a query, the best first. */
export function SaidMessages({ agent, query }: { readonly agent: Agent; readonly query: string }) {
  const found = useQuery({
    queryKey: ['said', agent.id, query],
    enabled: query !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<FoundMessage[]>('/v1/messages/search', { body: { agent_id: agent.id, query, limit: 50 }, signal }),
  });
  if (query === '')
    return (
      <Empty title="Search what was said">All messages are kept, also those that left the context.</Empty>
    );
  if (found.isPending) return <Loading lines={6} />;
  if (found.error !== null) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data.length === 0) return <Empty title="Nothing found">Try other words.</Empty>;
  return (
    <ul className={classes.list} aria-label="Messages that fit">
      {found.data.map((message) => (
        <li key={`${message.message_id}:${message.message_type}`} className={classes.item}>
          <Text size="xs" c="dimmed">
            {names[message.message_type]} <Time value={message.created_at} />
          </Text>
          <div className={classes.text}>
            <Marked text={textOf(message)} query={query} />
          </div>
        </li>
      ))}
    </ul>
  );
}
