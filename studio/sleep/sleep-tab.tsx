import { Button, Group as Row, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, Group } from '../api/types.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { useRefinements, useSleepGroups } from './queries.js';
import { RefinementView } from './refinement-view.js';
import { RefinementSchedules, ScheduledMessageList } from './schedules.js';
import classes from './sleep.module.css';

/** What sleep-time made of the agent's memory, what it would like to change, and when it works next. */
export function SleepTab({ agent }: { readonly agent: Agent }) {
  const groups = useSleepGroups(agent.id);
  if (groups.isPending) return <Loading lines={8} />;
  if (groups.error !== null) return <Problem error={groups.error} onRetry={() => void groups.refetch()} />;
  return (
    <div className={classes.tab}>
      {groups.data.length === 0 ? (
        <NoPartner agent={agent} />
      ) : (
        groups.data.map((group) => <Refinements key={group.id} group={group} />)
      )}
      <ScheduledMessageList agentId={agent.id} />
    </div>
  );
}

function NoPartner({ agent }: { readonly agent: Agent }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () => call(`/v1/agents/${agent.id}`, { method: 'PATCH', body: { enable_sleeptime: true } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.agent(agent.id) }),
  });
  return (
    <Empty title="No sleep-time partner">
      <p>A partner reads what was said while {agent.name} rests, and refines the memory.</p>
      <Button loading={change.isPending} onClick={() => change.mutate()}>
        Give it one
      </Button>
      {change.error !== null && <Problem error={change.error} />}
    </Empty>
  );
}

function Refinements({ group }: { readonly group: Group }) {
  const refinements = useRefinements(group.id);
  const queries = useQueryClient();
  const refine = useMutation({
    mutationFn: () => call(`/v1/groups/${group.id}/refine`, { body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['group', group.id] }),
  });
  return (
    <section aria-label="Refinements">
      <Row justify="space-between" mb="xs">
        <Title order={2}>Refinements</Title>
        <Button loading={refine.isPending} onClick={() => refine.mutate()}>
          Refine now
        </Button>
      </Row>
      <Text size="sm" c="dimmed" mb="sm">
        {group.sleeptime_agent_frequency === null
          ? 'Only by hand or by schedule'
          : `After every ${group.sleeptime_agent_frequency} turns`}
        {group.sleeptime?.review === true
          ? '; edits wait for your yes.'
          : '; edits are merged when they are done.'}
      </Text>
      {refine.error !== null && <Problem error={refine.error} />}
      {refinements.isPending && <Loading />}
      {refinements.error !== null && <Problem error={refinements.error} />}
      {refinements.data?.length === 0 && (
        <Empty title="Nothing refined yet">Talk with the agent, then refine.</Empty>
      )}
      {refinements.data?.map((refinement) => (
        <RefinementView key={refinement.id} refinement={refinement} />
      ))}
      <RefinementSchedules groupId={group.id} />
    </section>
  );
}
