import { Button, Code, Group, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, ContextOverview } from '../api/types.js';
import { RequestMessages, RequestView } from '../parts/request-view.js';
import { Loading, Problem } from '../parts/states.js';
import { ContextHistory } from './context-history.js';
import classes from './context.module.css';
import { freeTokens, toParts } from './parts.js';

const views = [
  { path: 'request', title: 'The whole request' },
  { path: 'history', title: 'Epochs and cache' },
] as const;

/** What the agent's model is shown: the window as one bar, the text of each part, the request as it would be sent, and what became of the prompt. */
export function ContextTab({ agent }: { readonly agent: Agent }) {
  const context = useQuery({
    queryKey: [...keys.agent(agent.id), 'context'],
    queryFn: ({ signal }) => call<ContextOverview>(`/v1/agents/${agent.id}/context`, { signal }),
  });
  const [chosen, setChosen] = useState('Core memory');
  const navigate = useNavigate();
  const { '*': view = '' } = useParams();
  const show = (path: string): void => void navigate(`/agents/${agent.id}/context${path}`);
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
            aria-pressed={view === '' && name === part?.name}
            className={classes.legend ?? ''}
            onClick={() => {
              setChosen(name);
              show('');
            }}
          >
            <span className={classes.swatch} data-color={place} aria-hidden="true" />
            {name} <span className={classes.count}>{tokens.toLocaleString('en')}</span>
          </UnstyledButton>
        ))}
        {views.map(({ path, title }) => (
          <Button
            key={path}
            variant={view === path ? 'light' : 'subtle'}
            size="compact-xs"
            aria-pressed={view === path}
            onClick={() => show(view === path ? '' : `/${path}`)}
          >
            {title}
          </Button>
        ))}
      </Group>
      {view === 'request' ? (
        <WholeRequest agentId={agent.id} />
      ) : view === 'history' ? (
        <ContextHistory agent={agent} />
      ) : part?.name === 'Messages' ? (
        <RequestMessages messages={context.data.messages} label="Messages in context, oldest first" />
      ) : (
        <Code block className={classes.text ?? ''}>
          {part?.text}
        </Code>
      )}
    </div>
  );
}

/** The request that the model would get now, if it were asked for another step. */
function WholeRequest({ agentId }: { readonly agentId: string }) {
  const request = useQuery({
    queryKey: [...keys.agent(agentId), 'request'],
    queryFn: ({ signal }) =>
      call<Record<string, unknown>>(`/v1/agents/${agentId}/messages/preview-raw-payload`, {
        body: { messages: [{ role: 'user', content: '(your next message)' }] },
        signal,
      }),
  });
  if (request.isPending) return <Loading lines={8} />;
  if (request.error !== null) return <Problem error={request.error} />;
  return <RequestView request={request.data} />;
}
