import { Button, Group, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import { Form } from '../parts/form.js';

const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const cronHelp = `Minute, hour, day, month, weekday, in ${timezone}. “0 9 * * 1-5”: weekdays at nine.`;

/** Sends a message to the agent once at a time, or by a cron. */
export function NewScheduledMessage({
  agentId,
  onDone,
}: {
  readonly agentId: string;
  readonly onDone: () => void;
}) {
  const [text, setText] = useState('');
  const [kind, setKind] = useState('once');
  const [at, setAt] = useState('');
  const [cron, setCron] = useState('0 9 * * 1-5');
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: () =>
      call(`/v1/agents/${agentId}/schedule`, {
        body: {
          messages: [{ role: 'user', content: text }],
          schedule:
            kind === 'once'
              ? { type: 'one-time', scheduled_at: new Date(at).getTime() }
              : { type: 'recurring', cron_expression: cron, timezone },
        },
      }),
    onSuccess: () => {
      onDone();
      return queries.invalidateQueries({ queryKey: keys.agent(agentId) });
    },
  });
  const isReady = text.trim() !== '' && (kind === 'once' ? at !== '' : cron.trim() !== '');
  return (
    <Form
      name="New scheduled message"
      submit="Schedule"
      isReady={isReady}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate()}
      otherButton={<CancelButton onClick={onDone} />}
    >
      <Textarea
        label="Message"
        autosize
        autoFocus
        minRows={2}
        placeholder="What is planned for today?"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group align="flex-end" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label="How often"
          value={kind}
          onChange={setKind}
          data={[
            { value: 'once', label: 'Once' },
            { value: 'cron', label: 'Again and again' },
          ]}
        />
        {kind === 'once' ? (
          <TextInput
            type="datetime-local"
            aria-label="When"
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
          />
        ) : (
          <CronInput value={cron} onChange={setCron} />
        )}
      </Group>
    </Form>
  );
}

/** Refines the group's memory by a cron. */
export function NewRefinementSchedule({
  groupId,
  onDone,
}: {
  readonly groupId: string;
  readonly onDone: () => void;
}) {
  const [cron, setCron] = useState('0 3 * * *');
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: () => call(`/v1/groups/${groupId}/schedule`, { body: { cron_expression: cron, timezone } }),
    onSuccess: () => {
      onDone();
      return queries.invalidateQueries({ queryKey: ['group', groupId] });
    },
  });
  return (
    <Form
      name="New refinement schedule"
      submit="Schedule"
      isReady={cron.trim() !== ''}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate()}
      otherButton={<CancelButton onClick={onDone} />}
    >
      <CronInput value={cron} onChange={setCron} />
    </Form>
  );
}

function CronInput({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <div>
      <TextInput
        ff="monospace"
        w={200}
        aria-label="Times, as a cron"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {cronHelp}
      </Text>
    </div>
  );
}

function CancelButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button variant="default" onClick={onClick}>
      Cancel
    </Button>
  );
}
