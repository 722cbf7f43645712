/**
 * The model silently ignores all but the first 128 tokens of a piece. English has about four characters per token.
 */
const pieceLength = 450;
const mostPieces = 16;

/**
 * Cuts a text for the local model: pieces of at most 450 characters, cut at spaces, and at most 16 of them. A text's
 * vector is the mean of its pieces', weighted by length. Anything beyond 7,200 characters is ignored.
 */
export function cutIntoPieces(text: string): string[] {
  const clean = text.replace(/\s+/g, ' ').trim();
  // The model can't embed an empty text. A full stop is the closest.
  if (clean === '') return ['.'];
  const pieces: string[] = [];
  let start = 0;
  while (start < clean.length && pieces.length < mostPieces) {
    const end = findEnd(clean, start);
    pieces.push(clean.slice(start, end));
    start = clean[end] === ' ' ? end + 1 : end;
  }
  return pieces;
}

function findEnd(text: string, start: number): number {
  const limit = start + pieceLength;
  if (limit >= text.length) return text.length;
  const space = text.lastIndexOf(' ', limit);
  return space > start + pieceLength / 2 ? space : limit;
}
