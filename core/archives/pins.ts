/** A passage that stays in the agent's context. */
export interface PinnedPassage {
  readonly id: string;
  readonly text: string;
}

/** What an agent may pin at once, so that pins never fill its context. */
export const pinLimits = { passages: 10, characters: 10_000 } as const;

/** Tags that a pinned text must not be able to close. */
export const pinTags = ['pinned_passages', 'passage'];

/** Why a passage can't be pinned in addition to the pinned ones, as a text for the model or user; undefined if it can. */
export function refusePin(
  pinned: readonly { readonly characters: number }[],
  passage: { readonly characters: number },
): string | undefined {
  const { passages, characters } = pinLimits;
  if (pinned.length >= passages) {
    return `${pinned.length} passages are pinned already, which is the most that can be. Unpin one that is no longer needed first.`;
  }
  const taken = pinned.reduce((sum, each) => sum + each.characters, 0);
  if (taken + passage.characters <= characters) return undefined;
  return `The passage has ${passage.characters} characters, but only ${characters - taken} of the ${characters} for all pinned passages are left. Unpin others first, or store a shorter passage and pin that.`;
}

/** The pinned passages as a section of the context; empty where there are none. */
export function compilePins(pins: readonly PinnedPassage[], guard: (text: string) => string): string {
  if (pins.length === 0) return '';
  return [
    '<pinned_passages>',
    'Passages of your archival memory that stay in your context until they are unpinned:',
    ...pins.map((pin) => compilePin(pin, guard)),
    '</pinned_passages>',
  ].join('\n');
}

/** A notice of the passages that were pinned and unpinned since the prefix was compiled. */
export function noticeOfPins(pinned: readonly PinnedPassage[], unpinned: readonly string[]): string {
  const asTheyAre = (text: string): string => text;
  return [
    ...(pinned.length === 0
      ? []
      : ['Pinned into your context:', ...pinned.map((pin) => compilePin(pin, asTheyAre))]),
    ...(unpinned.length === 0
      ? []
      : [`No longer pinned: ${unpinned.join(', ')}. Your context may show their text a little longer.`]),
  ].join('\n');
}

function compilePin({ id, text }: PinnedPassage, guard: (text: string) => string): string {
  return `<passage id="${id}">\n${guard(text)}\n</passage>`;
}
