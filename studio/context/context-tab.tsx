import { Button, Code, Group, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, ContextOverview } from '../api/types.js';
import { Loading, Problem } from '../parts/states.js';
import classes from './context.module.css';
import { freeTokens, toParts } from './parts.js';

/** What the agent's model is shown: the window as one bar, the text of each part, and the request as it would be sent. */
export function ContextTab({ agent }: { readonly agent: Agent }) {
  const context = useQuery({
    queryKey: [...keys.agent(agent.id), 'context'],
    queryFn: ({ signal }) => call<ContextOverview>(`/v1/agents/${agent.id}/context`, { signal }),
  });
  const [chosen, setChosen] = useState('Core memory');
  const [isRequest, setRequest] = useState(false);
  if (context.isPending) return <Loading lines={8} />;
  if (context.error !== null) return <Problem error={context.error} onRetry={() => void context.refetch()} />;
  const parts = toParts(context.data);
  const part = parts.find(({ name }) => name === chosen) ?? parts[0];
  const { context_window_size_max: size, context_window_size_current: used } = context.data;
  return (
    <div className={classes.tab}>
      <Text size="sm" mb={8}>
        <b>{used.toLocaleString('en')}</b> of {size.toLocaleString('en')} tokens,{' '}
        {freeTokens(context.data).toLocaleString('en')} free · {context.data.num_messages} messages in
        context, {context.data.num_recall_memory} in recall, {context.data.num_archival_memory} passages in
        the archive
      </Text>
      <div className={classes.bar} aria-hidden="true">
        {parts.map(({ name, tokens }, place) => (
          <div
            key={name}
            className={classes.piece}
            data-color={place}
            data-chosen={name === part?.name}
            style={{ width: `${(100 * tokens) / size}%` }}
            title={`${name}: ${tokens.toLocaleString('en')} tokens`}
          />
        ))}
      </div>
      <Group gap={4} my="sm">
        {parts.map(({ name, tokens }, place) => (
          <UnstyledButton
            key={name}
            aria-pressed={!isRequest && name === part?.name}
            className={classes.legend ?? ''}
            onClick={() => {
              setChosen(name);
              setRequest(false);
            }}
          >
            <span className={classes.swatch} data-color={place} aria-hidden="true" />
            {name} <span className={classes.count}>{tokens.toLocaleString('en')}</span>
          </UnstyledButton>
        ))}
        <Button
          variant={isRequest ? 'light' : 'subtle'}
          size="compact-xs"
          onClick={() => setRequest(!isRequest)}
        >
          The whole request
        </Button>
      </Group>
      {isRequest ? (
        <WholeRequest agentId={agent.id} />
      ) : part?.name === 'Messages' ? (
        <ContextMessages messages={context.data.messages} />
      ) : (
        <Code block className={classes.text ?? ''}>
          {part?.text}
        </Code>
      )}
    </div>
  );
}

function ContextMessages({ messages }: { readonly messages: ContextOverview['messages'] }) {
  return (
    <ol className={classes.messages} aria-label="Messages in context, oldest first">
      {messages.map((message, place) => (
        <li key={typeof message['id'] === 'string' ? message['id'] : place}>
          <Text size="xs" fw={600}>
            {String(message['role'])}
          </Text>
          <Code block>{toShown(message)}</Code>
        </li>
      ))}
    </ol>
  );
}

function toShown({ content, tool_calls: calls }: Readonly<Record<string, unknown>>): string {
  const text =
    typeof content === 'string' ? content : content == null ? '' : JSON.stringify(content, null, 2);
  const called = Array.isArray(calls) && calls.length > 0 ? JSON.stringify(calls, null, 2) : '';
  return [text, called].filter((one) => one !== '').join('\n');
}

/** The request that the model would get now, if it were asked for another step. */
function WholeRequest({ agentId }: { readonly agentId: string }) {
  const request = useQuery({
    queryKey: [...keys.agent(agentId), 'request'],
    queryFn: ({ signal }) =>
      call<unknown>(`/v1/agents/${agentId}/messages/preview-raw-payload`, {
        body: { messages: [{ role: 'user', content: '(your next message)' }] },
        signal,
      }),
  });
  if (request.isPending) return <Loading lines={8} />;
  if (request.error !== null) return <Problem error={request.error} />;
  return (
    <Code block className={classes.text ?? ''}>
      {JSON.stringify(request.data, null, 2)}
    </Code>
  );
}
