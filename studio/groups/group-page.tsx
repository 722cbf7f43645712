import { Anchor, Button, Group as Row, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiError, call } from '../api/client.js';
import type { Group } from '../api/types.js';
import { DeletionQuestion } from '../parts/deletion-question.js';
import { ShortId } from '../parts/short-id.js';
import { Empty, Loading, NotFound, Problem } from '../parts/states.js';
import { toEntries } from '../talk/entries.js';
import talk from '../talk/talk.module.css';
import { Transcript } from '../talk/transcript.js';
import { orders } from './groups-page.js';
import classes from './groups.module.css';
import { useAgentsOf, useGroup, useGroupMessages } from './queries.js';
import { useTalk } from './talking.js';

/** One group: who is in it, what was said, and a field to say something to all of them. */
export function GroupPage() {
  const { groupId = '' } = useParams();
  const group = useGroup(groupId);
  if (group.isPending) return <Loading />;
  if (group.error !== null) {
    const isGone = group.error instanceof ApiError && [404, 422].includes(group.error.status);
    return isGone ? (
      <NotFound what="group" />
    ) : (
      <Problem error={group.error} onRetry={() => void group.refetch()} />
    );
  }
  return <GroupView key={groupId} group={group.data} />;
}

function GroupView({ group }: { readonly group: Group }) {
  const history = useGroupMessages(group.id);
  const { live, say, problem, isBusy } = useTalk(group.id);
  const entries = useMemo(() => {
    const stored = history.data ?? [];
    const known = new Set(stored.map(({ id }) => id));
    const all = toEntries([...stored, ...live.filter(({ id }) => !known.has(id))]);
    return all.filter(({ kind }) => kind !== 'notice');
  }, [history.data, live]);
  return (
    <section className={classes.page} aria-label={`Group ${group.description}`}>
      <Head group={group} />
      {history.isPending && <Loading lines={8} />}
      {history.error !== null && <Problem error={history.error} onRetry={() => void history.refetch()} />}
      {history.isSuccess && entries.length === 0 && !isBusy && (
        <Empty title="Nothing was said yet">Each agent of the group hears what you say.</Empty>
      )}
      <Transcript entries={entries} hasOlder={false} onOlder={() => undefined} />
      {isBusy && (
        <Text size="xs" c="dimmed" role="status" className={talk.state ?? ''}>
          <span className={talk.pulse} aria-hidden="true" />
          They talk
        </Text>
      )}
      <Composer onSend={say} isBusy={isBusy} problem={problem} />
    </section>
  );
}

function Head({ group }: { readonly group: Group }) {
  const members = useAgentsOf(
    [...new Set([...group.agent_ids, group.manager_agent_id ?? ''])].filter((id) => id !== ''),
  );
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const deletion = useMutation({
    mutationFn: () => call(`/v1/groups/${group.id}`, { method: 'DELETE' }),
    onSuccess: () => {
      void navigate('/groups');
      void queries.invalidateQueries({ queryKey: ['groups'] });
    },
  });
  return (
    <header className={classes.head}>
      <Row justify="space-between" wrap="nowrap">
        <Row gap="sm" miw={0}>
          <Title order={1} lineClamp={1}>
            {group.description}
          </Title>
          <ShortId id={group.id} />
        </Row>
        <Button variant="default" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </Row>
      <Row gap="xs">
        {members.map(({ id, name }) => (
          <Anchor key={id} component={Link} to={`/agents/${id}`} size="sm">
            {name}
            {id === group.manager_agent_id && ' (leads)'}
          </Anchor>
        ))}
        <Text size="xs" c="dimmed">
          {orders[group.manager_type]}
        </Text>
      </Row>
      {isDeleting && (
        <DeletionQuestion
          question="Delete the group? Its agents stay, with what they heard."
          confirm="Delete it"
          isPending={deletion.isPending}
          onDelete={() => deletion.mutate()}
          onKeep={() => setDeleting(false)}
        />
      )}
      {deletion.error !== null && <Problem error={deletion.error} />}
    </header>
  );
}

interface ComposerProps {
  readonly onSend: (text: string) => void;
  readonly isBusy: boolean;
  readonly problem: Error | null;
}

function Composer({ onSend, isBusy, problem }: ComposerProps) {
  const [text, setText] = useState('');
  const send = (): void => {
    if (text.trim() === '' || isBusy) return;
    onSend(text);
    setText('');
  };
  return (
    <div className={talk.composer}>
      {problem !== null && <Problem error={problem} />}
      <Textarea
        size="sm"
        autosize
        minRows={1}
        maxRows={10}
        aria-label="Message to the group"
        placeholder="Message to the group"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
    </div>
  );
}
