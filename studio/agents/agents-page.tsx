import { Button, Group, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { call } from '../api/client.js';
import { useAgents } from '../api/queries.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { inWords } from '../parts/stop-reasons.js';
import { Time } from '../parts/times.js';
import { NewAgent } from './new-agent.js';
import classes from './agents-page.module.css';

/** The first page: how many agents there are, and what the newest did last. */
export function AgentsPage() {
  const found = useAgents('');
  const count = useQuery({
    queryKey: ['agents', 'count'],
    queryFn: ({ signal }) => call<number>('/v1/agents/count', { signal }),
  });
  const [isOpen, dialog] = useDisclosure();
  if (found.isPending) return <Loading />;
  if (found.error !== null) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  const agents = found.data.pages[0] ?? [];
  return (
    <div className={classes.page}>
      <Group justify="space-between" mb="md">
        <Title order={1}>
          {count.data === undefined ? 'Agents' : `${count.data} ${count.data === 1 ? 'agent' : 'agents'}`}
        </Title>
        <Button onClick={dialog.open}>New agent</Button>
      </Group>
      {agents.length === 0 ? (
        <Empty title="No agents yet">
          Create one here, or with the API: <code>client.agents.create(…)</code> of Letta’s clients works as
          it is.
        </Empty>
      ) : (
        <Table.ScrollContainer minWidth={340}>
          <Table highlightOnHover verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th visibleFrom="sm">Model</Table.Th>
                <Table.Th>Last turn</Table.Th>
                <Table.Th>Ended by</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {agents.map((agent) => (
                <Table.Tr key={agent.id}>
                  <Table.Td>
                    <Link className={classes.name ?? ''} to={`/agents/${agent.id}`}>
                      {agent.name}
                    </Link>
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    <Text size="sm" c="dimmed">
                      {agent.model}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {agent.last_run_completion !== null && <Time value={agent.last_run_completion} />}
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm" c={agent.last_stop_reason === 'error' ? 'red' : 'dimmed'}>
                      {agent.last_stop_reason === null ? '–' : inWords(agent.last_stop_reason)}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {(count.data ?? 0) > agents.length && (
        <Text size="xs" c="dimmed" mt="sm">
          The newest {agents.length}. The list beside this page has all of them, and ⌘K finds each.
        </Text>
      )}
      <NewAgent isOpen={isOpen} onClose={dialog.close} />
    </div>
  );
}
