import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** What a row is about high, in px. */
  readonly rowHeight: number;
  readonly render: (item: T) => ReactNode;
  readonly label: string;
  /** Called when the end comes into sight: time to load more. */
  readonly onEnd?: () => void;
}

/** A list that renders only what is in sight, however long it is. It fills its parent and scrolls in it. */
export function VirtualList<T>({ items, keyOf, rowHeight, render, label, onEnd }: VirtualListProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (index) => keyOf(items[index] as T),
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 1) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <div
      ref={scroller}
      style={{ height: '100%', overflowY: 'auto' }}
      tabIndex={0}
      role="list"
      aria-label={label}
    >
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {shown.map((row) => (
          <div
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            role="listitem"
            style={{
              position: 'absolute',
              top: 0,
              left: 0,
              right: 0,
              transform: `translateY(${row.start}px)`,
            }}
          >
            {render(items[row.index] as T)}
          </div>
        ))}
      </div>
    </div>
  );
}
