import { Code, Image, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ChevronIcon } from '../parts/icons.js';
import { LineDiff } from '../parts/line-diff.js';
import { Markdown } from '../parts/markdown.js';
import { Time } from '../parts/times.js';
import { Approval } from './approval.js';
import { ForkFrom } from './fork-from.js';
import type { CallEntry, Entry, TextEntry } from './entries.js';
import { toMemoryEdit } from './memory-edits.js';
import classes from './talk.module.css';

/** One entry of a transcript. What the agent thinks and does is folded; what is said is not. */
export function EntryView({
  entry,
  agentId,
  name = 'Agent',
}: {
  readonly entry: Entry;
  readonly agentId: string | undefined;
  /** Who speaks, where the entry does not say it. */
  readonly name?: string | undefined;
}) {
  switch (entry.kind) {
    case 'user':
      return <Said entry={entry} who="You" agentId={agentId} />;
    case 'assistant':
      return <Said entry={entry} who={entry.speaker?.name ?? name} agentId={agentId} />;
    case 'reasoning':
      return (
        <Folded
          title={
            <Text size="sm" c="dimmed" fs="italic" truncate>
              {entry.text}
            </Text>
          }
        >
          <Text size="sm" c="dimmed" className={classes.pre ?? ''}>
            {entry.text}
          </Text>
        </Folded>
      );
    case 'notice':
      return (
        <Folded title={<Text size="xs" c="dimmed" truncate>{`Notice: ${entry.text}`}</Text>}>
          <Text size="xs" c="dimmed" className={classes.pre ?? ''}>
            {entry.text}
          </Text>
        </Folded>
      );
    case 'event':
      return (
        <Text size="xs" c="dimmed" ta="center">
          {entry.text}
        </Text>
      );
    case 'call':
      return <Call entry={entry} agentId={agentId} />;
  }
}

interface SaidProps {
  readonly entry: TextEntry;
  readonly who: string;
  readonly agentId: string | undefined;
}

function Said({ entry, who, agentId }: SaidProps) {
  return (
    <article className={classes.said} data-who={who}>
      <div className={classes.head}>
        <Text size="xs" fw={600}>
          {who}
        </Text>
        <Time value={entry.date} />
        {agentId !== undefined && <ForkFrom messageId={entry.messageId} agentId={agentId} />}
      </div>
      {entry.images.map((image) => (
        <Image key={image} src={image} alt="An image of the message" maw={320} radius="sm" mb={4} />
      ))}
      {who === 'You' ? <div className={classes.pre}>{entry.text}</div> : <Markdown text={entry.text} />}
    </article>
  );
}

function Call({ entry, agentId }: { readonly entry: CallEntry; readonly agentId: string | undefined }) {
  const edit = toMemoryEdit(entry.name, entry.arguments);
  const state =
    entry.result === undefined ? (entry.asks === undefined ? '…' : '') : entry.result.isError ? 'failed' : '';
  const isWaiting = entry.asks !== undefined && entry.decision === undefined && entry.result === undefined;
  return (
    <div className={classes.call}>
      <Folded
        isOpen={isWaiting}
        title={
          <Text size="sm" truncate>
            <Code>{entry.name}</Code>{' '}
            <Text span size="xs" c={state === 'failed' ? 'red' : 'dimmed'}>
              {[edit === undefined ? shorten(entry.arguments) : `edits ${edit.label}`, entry.decision, state]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </Text>
        }
      >
        <Code block>{pretty(entry.arguments)}</Code>
        {entry.result !== undefined && (
          <Code block mt={4} c={entry.result.isError ? 'red' : 'inherit'}>
            {entry.result.text}
          </Code>
        )}
      </Folded>
      {edit !== undefined && <LineDiff removed={edit.removed} added={edit.added} />}
      {isWaiting && agentId !== undefined && (
        <Approval agentId={agentId} requestId={entry.asks} callId={entry.callId} />
      )}
    </div>
  );
}

interface FoldedProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
}

function Folded({ title, children, isOpen: isOpenAtFirst = false }: FoldedProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <div>
      <UnstyledButton className={classes.fold ?? ''} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className={classes.chevron} data-open={isOpen}>
          <ChevronIcon />
        </span>
        {title}
      </UnstyledButton>
      {isOpen && <div className={classes.unfolded}>{children}</div>}
    </div>
  );
}

function shorten(callArguments: string): string {
  try {
    return Object.entries(JSON.parse(callArguments) as Record<string, unknown>)
      .filter(([name]) => name !== 'request_heartbeat' && name !== 'thinking')
      .map(([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)))
      .join(', ')
      .slice(0, 120);
  } catch {
    return '';
  }
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
