const longest = 500;
const windowLength = 16;

/**
 * A provider's words for a run's row: at most 500 characters, without the key. Left out where they repeat the
 * request, as several servers do in validation errors.
 */
export function createDetail(
  words: string,
  call: { readonly secrets: readonly string[]; readonly sent: readonly string[] },
): string | undefined {
  let clean = words;
  for (const secret of call.secrets) {
    if (secret !== '') clean = clean.replaceAll(secret, '[key]');
  }
  const detail = clean.trim().slice(0, longest);
  if (detail === '') return undefined;
  return repeats(detail, call.sent)
    ? '[The provider repeated the request; its words were left out.]'
    : detail;
}

/**
 * Whether the detail contains a piece of what was sent. Any common piece of twice the window's length contains a
 * whole window, so stepping by windows misses none of those.
 */
function repeats(detail: string, sent: readonly string[]): boolean {
  const whole = sent.filter((text) => text.length >= 8 && text.length < 2 * windowLength);
  if (whole.some((text) => detail.includes(text))) return true;
  for (let start = 0; start + windowLength <= detail.length; start += windowLength) {
    const piece = detail.slice(start, start + windowLength);
    if (sent.some((text) => text.includes(piece))) return true;
  }
  return false;
}
