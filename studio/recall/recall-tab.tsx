import { SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Agent } from '../api/types.js';
import { Passages } from './passages.js';
import { SaidMessages } from './said-messages.js';
import classes from './recall.module.css';

/** What the agent no longer sees by itself: all that was said, and its archive. Searched by words and by meaning. */
export function RecallTab({ agent }: { readonly agent: Agent }) {
  const [params] = useSearchParams();
  const asked = params.get('q') ?? '';
  const [place, setPlace] = useState(asked === '' ? 'archive' : 'recall');
  const [text, setText] = useState(asked);
  const [query] = useDebouncedValue(text.trim(), 250);
  return (
    <div className={classes.tab}>
      <div className={classes.head}>
        <SegmentedControl
          size="xs"
          aria-label="Where to search"
          value={place}
          onChange={setPlace}
          data={[
            { value: 'archive', label: 'Archive' },
            { value: 'recall', label: 'All that was said' },
          ]}
        />
        <TextInput
          flex={1}
          type="search"
          aria-label="Search by words and meaning"
          placeholder="Search by words and meaning"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {place === 'archive' ? (
        <Passages agent={agent} query={query} />
      ) : (
        <SaidMessages agent={agent} query={query} />
      )}
    </div>
  );
}
