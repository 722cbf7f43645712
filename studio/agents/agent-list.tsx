import { ActionIcon, Box, Group, NavLink, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { NavLink as RouterLink, useParams } from 'react-router';
import { useAgents } from '../api/queries.js';
import { PlusIcon } from '../parts/icons.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { VirtualList } from '../parts/virtual-list.js';
import { NewAgent } from './new-agent.js';

/** All agents, newest first, with a field that narrows them down. */
export function AgentList() {
  const [search, setSearch] = useState('');
  const [debounced] = useDebouncedValue(search.trim(), 200);
  const found = useAgents(debounced);
  const [isOpen, dialog] = useDisclosure();
  const { agentId, tab } = useParams();
  const agents = useMemo(() => found.data?.pages.flat() ?? [], [found.data]);
  return (
    <Stack h="100%" gap={0} component="nav" aria-label="Agents">
      <Group p="xs" gap={6} wrap="nowrap">
        <TextInput
          flex={1}
          placeholder="Find an agent"
          aria-label="Find an agent"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Tooltip label="New agent">
          <ActionIcon variant="default" size={30} onClick={dialog.open} aria-label="New agent">
            <PlusIcon />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Box flex={1} mih={0}>
        {found.isPending && <Loading />}
        {found.error !== null && <Problem error={found.error} onRetry={() => void found.refetch()} />}
        {found.isSuccess && agents.length === 0 && (
          <Empty title={debounced === '' ? 'No agents yet' : 'No agent fits'}>
            {debounced === '' ? 'Create the first one with +.' : 'Try another part of its name.'}
          </Empty>
        )}
        {agents.length > 0 && (
          <VirtualList
            label="Agents"
            items={agents}
            keyOf={(agent) => agent.id}
            rowHeight={50}
            onEnd={() => {
              if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
            }}
            render={(agent) => (
              <NavLink
                component={RouterLink}
                to={`/agents/${agent.id}/${agentId === undefined ? '' : (tab ?? '')}`}
                active={agent.id === agentId}
                label={agent.name}
                description={
                  <Text size="xs" truncate component="span">
                    {agent.model}
                  </Text>
                }
                px="sm"
                py={6}
                noWrap
              />
            )}
          />
        )}
      </Box>
      <NewAgent isOpen={isOpen} onClose={dialog.close} />
    </Stack>
  );
}
