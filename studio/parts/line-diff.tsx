import classes from './line-diff.module.css';

/** Lines that were taken away and lines that were added. */
export function LineDiff({
  removed,
  added,
}: {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}) {
  return (
    <div className={classes.diff}>
      {removed.map((line, place) => (
        <div key={`-${place}`} className={classes.removed}>
          <span className={classes.mark} aria-label="removed">
            −
          </span>
          {line}
        </div>
      ))}
      {added.map((line, place) => (
        <div key={`+${place}`} className={classes.added}>
          <span className={classes.mark} aria-label="added">
            +
          </span>
          {line}
        </div>
      ))}
    </div>
  );
}

/** A unified diff, as the server writes it. Where lines between two changes are left out, a rule says so. */
export function UnifiedDiff({ text }: { readonly text: string }) {
  return (
    <div className={classes.diff}>
      {text.split('\n').map((line, place) => {
        if (line.startsWith('@@')) return place === 0 ? null : <hr key={place} className={classes.gap} />;
        const mark = line[0] ?? ' ';
        const kind = mark === '+' ? 'added' : mark === '-' ? 'removed' : 'same';
        return (
          <div key={place} className={classes[kind]}>
            <span className={classes.mark}>{mark === '-' ? '−' : mark}</span>
            {line.slice(1)}
          </div>
        );
      })}
    </div>
  );
}
