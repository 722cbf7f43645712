import { Box, Group, Tabs, Text, Title } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { useNavigate, useParams } from 'react-router';
import { ApiError } from '../api/client.js';
import { useBlockEvents } from '../api/block-events.js';
import { useAgent } from '../api/queries.js';
import { ShortId } from '../parts/short-id.js';
import { Loading, NotFound, Problem } from '../parts/states.js';
import { TalkTab } from '../talk/talk-tab.js';
import { AgentMenu } from './agent-menu.js';
import classes from './agent-page.module.css';

const MindTab = lazy(async () => ({ default: (await import('../mind/mind-tab.js')).MindTab }));
const ContextTab = lazy(async () => ({ default: (await import('../context/context-tab.js')).ContextTab }));
const TurnsTab = lazy(async () => ({ default: (await import('../turns/turns-tab.js')).TurnsTab }));
const RecallTab = lazy(async () => ({ default: (await import('../recall/recall-tab.js')).RecallTab }));
const SleepTab = lazy(async () => ({ default: (await import('../sleep/sleep-tab.js')).SleepTab }));

const SettingsTab = lazy(async () => ({
  default: (await import('../settings/settings-tab.js')).SettingsTab,
}));

const tabs = [
  { name: 'talk', title: 'Talk', Content: TalkTab },
  { name: 'mind', title: 'Mind', Content: MindTab },
  { name: 'context', title: 'Context', Content: ContextTab },
  { name: 'turns', title: 'Turns', Content: TurnsTab },
  { name: 'recall', title: 'Recall', Content: RecallTab },
  { name: 'sleep', title: 'Sleep', Content: SleepTab },
  { name: 'settings', title: 'Settings', Content: SettingsTab },
] as const;

/** One agent: its name, and a tab for each side of it. The address says which tab. */
export function AgentPage() {
  const { agentId = '', tab = 'talk' } = useParams();
  const agent = useAgent(agentId);
  const navigate = useNavigate();
  useBlockEvents();
  const isHere = agent.isSuccess;
  useEffect(() => {
    // On a narrow screen the tab may lie beside it.
    document
      .querySelector('[role=tab][aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab, isHere]);
  if (agent.isPending) return <Loading />;
  if (agent.error !== null) {
    const isGone = agent.error instanceof ApiError && [404, 422].includes(agent.error.status);
    return isGone ? (
      <NotFound what="agent" />
    ) : (
      <Problem error={agent.error} onRetry={() => void agent.refetch()} />
    );
  }
  const shown = tabs.find(({ name }) => name === tab);
  return (
    <div className={classes.page}>
      <Group px="md" pt="xs" gap="sm" wrap="nowrap" justify="space-between">
        <Group gap="sm" wrap="nowrap" miw={0}>
          <Title order={1} lineClamp={1}>
            {agent.data.name}
          </Title>
          <Box visibleFrom="sm">
            <ShortId id={agent.data.id} />
          </Box>
          <Text size="xs" c="dimmed" truncate visibleFrom="xs">
            {agent.data.model}
          </Text>
        </Group>
        <AgentMenu agent={agent.data} />
      </Group>
      <Tabs
        value={shown?.name ?? null}
        onChange={(name) => void navigate(`/agents/${agentId}/${name ?? 'talk'}`)}
        className={classes.tabs ?? ''}
      >
        <Tabs.List className={classes.list ?? ''}>
          {tabs.map(({ name, title }) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <div className={classes.content} role="tabpanel" aria-label={shown?.title ?? 'Unknown'}>
        {shown === undefined ? (
          <NotFound what="tab" />
        ) : (
          <Suspense fallback={<Loading />}>
            <shown.Content key={agentId} agent={agent.data} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
