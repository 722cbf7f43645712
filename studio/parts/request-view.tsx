import { Button, Code, CopyButton, Group, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { textOfContent } from './content-text.js';
import classes from './request-view.module.css';

/** A message of a chat completion request, as far as it is shown. */
export interface RequestMessage {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}

interface RequestTool {
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** A request to a model: its messages, its tools, or the whole as it is sent. */
export function RequestView({ request }: { readonly request: Readonly<Record<string, unknown>> }) {
  const [view, setView] = useState('messages');
  const { messages = [], tools = [] } = request as { messages?: RequestMessage[]; tools?: RequestTool[] };
  const whole = JSON.stringify(request, null, 2);
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <SegmentedControl
          size="xs"
          aria-label="What of the request to show"
          value={view}
          onChange={setView}
          data={[
            { value: 'messages', label: `${messages.length} messages` },
            { value: 'tools', label: `${tools.length} tools` },
            { value: 'json', label: 'JSON' },
          ]}
        />
        <CopyButton value={whole}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy as JSON'}
            </Button>
          )}
        </CopyButton>
      </Group>
      {view === 'messages' && <RequestMessages messages={messages} label="Messages of the request" />}
      {view === 'tools' && <RequestTools tools={tools} />}
      {view === 'json' && (
        <Code block className={classes.text ?? ''}>
          {whole}
        </Code>
      )}
    </div>
  );
}

/** Messages by role, oldest first. */
export function RequestMessages({
  messages,
  label,
}: {
  readonly messages: readonly RequestMessage[];
  readonly label: string;
}) {
  return (
    <ol className={classes.list} aria-label={label}>
      {messages.map((message, place) => (
        <li key={place}>
          <Text size="xs" fw={600} mb={2}>
            {typeof message.role === 'string' ? message.role : ''}
          </Text>
          <LongText text={toShown(message)} />
        </li>
      ))}
    </ol>
  );
}

const shownLength = 1_500;

/** A text of which only the beginning is shown, until it is asked for as a whole. */
function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(text.length <= shownLength);
  return (
    <>
      <Code block className={classes.text ?? ''}>
        {isWhole ? text : `${text.slice(0, shownLength)} …`}
      </Code>
      {!isWhole && (
        <Button variant="subtle" size="compact-xs" mt={4} onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </Button>
      )}
    </>
  );
}

function RequestTools({ tools }: { readonly tools: readonly RequestTool[] }) {
  return (
    <ul className={classes.list} aria-label="Tools of the request">
      {tools.map(({ function: { name, description, parameters } }) => (
        <li key={name}>
          <Text size="xs" fw={600} mb={2}>
            {name}
          </Text>
          {description !== undefined && (
            <Text size="sm" c="dimmed" mb={4}>
              {description}
            </Text>
          )}
          <Code block className={classes.text ?? ''}>
            {JSON.stringify(parameters, null, 2)}
          </Code>
        </li>
      ))}
    </ul>
  );
}

function toShown({ content, tool_calls: calls }: RequestMessage): string {
  const text = textOfContent(content);
  const other = text === '' && content != null && content !== '' ? JSON.stringify(content, null, 2) : text;
  const called = Array.isArray(calls) && calls.length > 0 ? JSON.stringify(calls, null, 2) : '';
  return [other, called].filter((one) => one !== '').join('\n');
}
