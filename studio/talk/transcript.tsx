import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { Entry } from './entries.js';
import { EntryView } from './entry-view.js';
import classes from './talk.module.css';

interface TranscriptProps {
  readonly entries: readonly Entry[];
  /** Whose transcript it is; absent in a group, where each entry says its agent. */
  readonly agentId?: string;
  readonly name?: string;
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
}

const nearPx = 120;

/**
 * The entries, newest at the bottom. It stays at the bottom while new ones come, unless the reader has scrolled up, and
 * loads older ones when the reader reaches the top.
 */
export function Transcript({ entries, agentId, name, hasOlder, onOlder }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 64,
    overscan: 10,
    getItemKey: (index) => entries[index]?.key ?? index,
    anchorTo: 'end',
  });
  const height = rows.getTotalSize();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [height, entries]);
  const first = rows.getVirtualItems()[0]?.index ?? 0;
  useEffect(() => {
    if (first === 0 && hasOlder) onOlder();
  }, [first, hasOlder, onOlder]);
  return (
    <div
      ref={scroller}
      className={classes.transcript}
      tabIndex={0}
      role="log"
      aria-label="Transcript"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx;
      }}
    >
      <div style={{ height, position: 'relative' }}>
        {rows.getVirtualItems().map((row) => {
          const entry = entries[row.index];
          return entry === undefined ? null : (
            <div
              key={row.key}
              data-index={row.index}
              ref={rows.measureElement}
              className={classes.row}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <EntryView entry={entry} agentId={agentId ?? entry.speaker?.agentId} name={name} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
