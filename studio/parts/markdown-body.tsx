import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';

/** Loaded only when there is text to show: the parser is the largest part of the page. */
export default function MarkdownBody({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      components={{
        a: ({ href, children }) => (
          <a href={href} target="_blank" rel="noreferrer noopener">
            {children}
          </a>
        ),
        img: ({ src, alt }) => (
          <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer noopener">
            {alt === undefined || alt === '' ? src : alt}
          </a>
        ),
      }}
    >
      {text}
    </ReactMarkdown>
  );
}
