import { Button, Group as Row, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'react-router';
import classes from '../agents/agents-page.module.css';
import { Empty, Loading, Problem } from '../parts/states.js';
import { NewGroup } from './new-group.js';
import { useTalkGroups } from './queries.js';

export const orders = {
  round_robin: 'one after another',
  supervisor: 'one leads',
  dynamic: 'one decides who is next',
  sleeptime: 'sleep-time',
  voice_sleeptime: 'sleep-time',
} as const;

/** Groups of agents that talk with each other. */
export function GroupsPage() {
  const groups = useTalkGroups();
  const [isOpen, dialog] = useDisclosure();
  if (groups.isPending) return <Loading />;
  if (groups.error !== null) return <Problem error={groups.error} onRetry={() => void groups.refetch()} />;
  return (
    <div className={classes.page}>
      <Row justify="space-between" mb="md">
        <Title order={1}>Groups</Title>
        <Button onClick={dialog.open}>New group</Button>
      </Row>
      {groups.data.length === 0 ? (
        <Empty title="No groups yet">In a group, several agents answer a message and hear each other.</Empty>
      ) : (
        <Table highlightOnHover verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Group</Table.Th>
              <Table.Th>Who speaks</Table.Th>
              <Table.Th ta="right">Agents</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.data.map((group) => (
              <Table.Tr key={group.id}>
                <Table.Td>
                  <Link className={classes.name ?? ''} to={`/groups/${group.id}`}>
                    {group.description === '' ? group.id : group.description}
                  </Link>
                </Table.Td>
                <Table.Td>
                  <Text size="sm" c="dimmed">
                    {orders[group.manager_type]}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">{group.agent_ids.length}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NewGroup isOpen={isOpen} onClose={dialog.close} />
    </div>
  );
}
