import { Button, Group, Select, Switch, Text, Title } from '@mantine/core';
import type { Agent, Tool } from '../api/types.js';
import { Empty, Problem } from '../parts/states.js';
import { useAgentChange, useTools } from './queries.js';
import classes from './settings.module.css';

/** The agent's tools: attach and detach, and which of them ask before they run. */
export function AgentTools({ agent }: { readonly agent: Agent }) {
  const tools = useTools();
  const change = useAgentChange(agent.id);
  const has = new Set(agent.tools.map(({ id }) => id));
  const others = tools.data?.filter(({ id }) => !has.has(id)) ?? [];
  return (
    <section aria-label="Tools">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Tools</Title>
        <Select
          aria-label="Attach a tool"
          placeholder="Attach a tool"
          w={260}
          searchable
          nothingFoundMessage="No such tool. Add one by the API: client.tools.create(…)"
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          onChange={(id) => id !== null && change.mutate({ path: `/tools/attach/${id}`, method: 'PATCH' })}
        />
      </Group>
      {tools.error !== null && <Problem error={tools.error} onRetry={() => void tools.refetch()} />}
      {change.error !== null && <Problem error={change.error} />}
      {agent.tools.length === 0 && (
        <Empty title="No tools">Without tools the agent can only answer in text.</Empty>
      )}
      <ul className={classes.list} aria-label="Attached tools">
        {agent.tools.map((tool) => (
          <ToolRow key={tool.id} agent={agent} tool={tool} />
        ))}
      </ul>
    </section>
  );
}

function ToolRow({ agent, tool }: { readonly agent: Agent; readonly tool: Tool }) {
  const change = useAgentChange(agent.id);
  const asks = agent.tool_rules.some(
    (rule) => rule.type === 'requires_approval' && rule.tool_name === tool.name,
  );
  return (
    <li className={classes.item} aria-label={tool.name}>
      <div className={classes.what}>
        <Text size="sm" fw={500}>
          {tool.name}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={2}>
          {tool.description}
        </Text>
        {change.error !== null && (
          <Text size="xs" c="red" role="alert">
            {change.error.message}
          </Text>
        )}
      </div>
      <Group gap="sm" wrap="nowrap">
        <Switch
          size="xs"
          label="asks first"
          aria-label={`${tool.name} asks first`}
          checked={asks}
          disabled={change.isPending}
          onChange={(event) =>
            change.mutate({
              path: `/tools/approval/${tool.name}`,
              method: 'PATCH',
              body: { requires_approval: event.currentTarget.checked },
            })
          }
        />
        <Button
          variant="default"
          size="compact-xs"
          loading={change.isPending}
          aria-label={`Detach ${tool.name}`}
          onClick={() => change.mutate({ path: `/tools/detach/${tool.id}`, method: 'PATCH' })}
        >
          Detach
        </Button>
      </Group>
    </li>
  );
}
