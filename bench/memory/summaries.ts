/** What a summariser says. `isEndless`: it never says that it has ended. */
export interface Saying {
  readonly text: string;
  readonly isEndless: boolean;
}

/** Ways in which a summariser may behave, by the last word of the model's name. */
export const summarisers = ['plain', 'fails', 'empty', 'full', 'bursts'] as const;

/** As long as a summary may be, and many times as long. */
const fullLength = 5_000;
const burstLength = 60_000;

/** `none`: it answers with an error. */
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
