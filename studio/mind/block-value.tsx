import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './mind.module.css';

/** A block's lines. Those that were not in the value before light up once. */
export function BlockValue({ value }: { readonly value: string }) {
  const before = useRef<string | undefined>(undefined);
  const known = before.current === undefined ? undefined : new Set(before.current.split('\n'));
  useEffect(() => {
    before.current = value;
  }, [value]);
  if (value === '')
    return (
      <Text size="sm" c="dimmed">
        Empty
      </Text>
    );
  return (
    <div className={classes.value}>
      {value.split('\n').map((line, place) => (
        <div
          key={`${place}:${line}`}
          className={known !== undefined && !known.has(line) ? classes.fresh : undefined}
        >
          {line === '' ? '\u00a0' : line}
        </div>
      ))}
    </div>
  );
}
