import { Button, Group, NumberInput, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useModels } from '../api/queries.js';
import type { Agent } from '../api/types.js';
import { Problem } from '../parts/states.js';
import { useAgentChange } from './queries.js';
import classes from './settings.module.css';

/** The fields that the form holds, as texts and numbers of the page. */
interface Fields {
  readonly name: string;
  readonly description: string;
  readonly model: string;
  readonly context_window_limit: number | undefined;
  readonly system: string;
}

function toFields(agent: Agent): Fields {
  const { context_window: window } = agent.llm_config;
  return {
    name: agent.name,
    description: agent.description ?? '',
    model: agent.model,
    context_window_limit: typeof window === 'number' ? window : undefined,
    system: agent.system,
  };
}

/** Name, model and instructions. Only what was changed is sent, so that others' changes meanwhile stay. */
export function AgentForm({ agent }: { readonly agent: Agent }) {
  const [draft, setDraft] = useState<Partial<Fields>>({});
  const models = useModels();
  const change = useAgentChange(agent.id);
  const stored = toFields(agent);
  const fields = { ...stored, ...draft };
  const changed = Object.fromEntries(
    Object.entries(draft).filter(([name, value]) => value !== stored[name as keyof Fields]),
  );
  const set = (part: Partial<Fields>): void => setDraft({ ...draft, ...part });
  const isSame = Object.keys(changed).length === 0;
  const handles = new Set([stored.model, ...(models.data ?? []).map(({ handle }) => handle)]);
  return (
    <form
      aria-label="Agent"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ path: '', method: 'PATCH', body: changed }, { onSuccess: () => setDraft({}) });
      }}
    >
      <Title order={2} mb="xs">
        Agent
      </Title>
      <Stack gap="sm">
        <Group grow align="flex-start">
          <TextInput
            label="Name"
            value={fields.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <TextInput
            label="Description"
            value={fields.description}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
        </Group>
        <Group grow align="flex-start">
          <Select
            label="Model"
            data={[...handles]}
            value={fields.model}
            searchable
            allowDeselect={false}
            onChange={(model) => model !== null && set({ model })}
            error={models.error?.message}
          />
          <NumberInput
            label="Context window, in tokens"
            size="xs"
            min={1_000}
            step={1_000}
            thousandSeparator=","
            value={fields.context_window_limit ?? ''}
            onChange={(value) => typeof value === 'number' && set({ context_window_limit: value })}
          />
        </Group>
        <Textarea
          label="Instructions"
          description="The memory stands at {CORE_MEMORY}, or after them. A change begins a new epoch."
          autosize
          minRows={4}
          maxRows={12}
          className={classes.system ?? ''}
          value={fields.system}
          onChange={(event) => set({ system: event.currentTarget.value })}
        />
        {change.error !== null && <Problem error={change.error} />}
        <Group gap={6}>
          <Button type="submit" disabled={isSame} loading={change.isPending}>
            Save
          </Button>
          {!isSame && (
            <Button variant="default" onClick={() => setDraft({})}>
              Discard
            </Button>
          )}
          {isSame && change.isSuccess && (
            <Text size="xs" c="dimmed" role="status">
              Saved. It holds from the next step on.
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
