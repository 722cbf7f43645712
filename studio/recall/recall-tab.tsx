import { SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import type { Agent } from '../api/types.js';
import { Files } from './files.js';
import { Passages } from './passages.js';
import { SaidMessages } from './said-messages.js';
import classes from './recall.module.css';

const places = [
  { value: 'archive', label: 'Archive' },
  { value: 'said', label: 'All that was said' },
  { value: 'files', label: 'Files' },
];

/** What the agent no longer sees by itself: its archive, all that was said, its files. Searched by words and by meaning. */
export function RecallTab({ agent }: { readonly agent: Agent }) {
  const [params] = useSearchParams();
  const asked = params.get('q') ?? '';
  const { '*': named = '' } = useParams();
  const navigate = useNavigate();
  const usual = asked === '' ? 'archive' : 'said';
  const place = places.some(({ value }) => value === named) ? named : usual;
  const [text, setText] = useState(asked);
  const [query] = useDebouncedValue(text.trim(), 250);
  return (
    <div className={classes.tab}>
      <div className={classes.head}>
        <SegmentedControl
          size="xs"
          aria-label="What to show"
          value={place}
          onChange={(value) => void navigate(`/agents/${agent.id}/recall/${value}`)}
          data={places}
        />
        {place !== 'files' && (
          <TextInput
            flex={1}
            miw={200}
            type="search"
            aria-label="Search by words and meaning"
            placeholder="Search by words and meaning"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
      </div>
      {place === 'archive' && <Passages agent={agent} query={query} />}
      {place === 'said' && <SaidMessages agent={agent} query={query} />}
      {place === 'files' && <Files agent={agent} />}
    </div>
  );
}
