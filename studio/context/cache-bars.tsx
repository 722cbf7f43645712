import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys, toQuery } from '../api/queries.js';
import type { Step } from '../api/types.js';
import { Problem } from '../parts/states.js';
import classes from './context.module.css';

const shownSteps = 40;

/** The requests of the last steps: how long each was, and how much of it the provider's cache held. */
export function CacheBars({ agentId }: { readonly agentId: string }) {
  const steps = useQuery({
    queryKey: [...keys.agent(agentId), 'context', 'steps'],
    queryFn: ({ signal }) =>
      call<Step[]>(`/v1/steps?${toQuery({ agent_id: agentId, limit: shownSteps })}`, { signal }),
  });
  if (steps.error !== null) return <Problem error={steps.error} onRetry={() => void steps.refetch()} />;
  const counted = steps.data?.filter(({ prompt_tokens: tokens }) => tokens > 0).toReversed() ?? [];
  if (counted.length === 0) return null;
  const longest = Math.max(...counted.map(({ prompt_tokens: tokens }) => tokens));
  const sum = (read: (step: Step) => number): number => counted.reduce((all, step) => all + read(step), 0);
  const sent = sum(({ prompt_tokens: tokens }) => tokens);
  const cached = sum(({ cached_input_tokens: tokens }) => tokens);
  return (
    <section aria-label="The provider’s cache">
      <Title order={2} mb={4}>
        The provider’s cache
      </Title>
      <Text size="sm" mb="xs">
        It held <b>{Math.round((100 * cached) / sent)} %</b> of the {sent.toLocaleString('en')} tokens of the
        last {counted.length === 1 ? 'request' : `${counted.length} requests`}.
      </Text>
      <div className={classes.steps} aria-hidden="true">
        {counted.map(({ id, prompt_tokens: tokens, cached_input_tokens: held }) => (
          <div
            key={id}
            className={classes.step}
            style={{ height: `${(100 * tokens) / longest}%` }}
            title={`${tokens.toLocaleString('en')} tokens, ${held.toLocaleString('en')} of them cached`}
          >
            <div className={classes.held} style={{ height: `${(100 * held) / tokens}%` }} />
          </div>
        ))}
      </div>
    </section>
  );
}
