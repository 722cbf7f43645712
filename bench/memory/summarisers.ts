/** A summariser's answer. `isEndless`: the stream never ends. */
export interface Saying {
  readonly text: string;
  readonly isEndless: boolean;
}

/** Behaviours of a summariser. The last word of the model's name selects one. */
export const summarisers = ['plain', 'fails', 'empty', 'full', 'bursts'] as const;

/** Characters of the longest summary that is allowed, and of a far longer one. */
const fullLength = 5_000;
const burstLength = 60_000;

/** A summariser's answer; `none`: an error. */
export function summaryOf(kind: string): Saying | 'none' {
  switch (kind) {
    case 'fails':
      return 'none';
    case 'empty':
      return { text: '', isEndless: false };
    case 'full':
      return { text: long(fullLength), isEndless: false };
    case 'bursts':
      return { text: long(burstLength), isEndless: true };
    default:
      return { text: 'We spoke of the sea and of the lighthouse.', isEndless: false };
  }
}

function long(length: number): string {
  return 'The user told me of the harbour, and of what they had seen there. '.repeat(length).slice(0, length);
}
