import { Typography } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from './markdown.module.css';

const Body = lazy(() => import('./markdown-body.js'));

/** A model’s text. Raw HTML in it is shown as text, and its images are links: nothing is loaded from elsewhere. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Typography className={classes.text ?? ''}>
      <Suspense fallback={<div className={classes.plain}>{text}</div>}>
        <Body text={text} />
      </Suspense>
    </Typography>
  );
}
