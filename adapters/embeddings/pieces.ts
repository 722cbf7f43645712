/** The model reads 128 tokens of a piece and leaves the rest out without a word; English has some four characters a token. */
const pieceLength = 450;
const mostPieces = 16;

/**
 * What the local model reads of a text: pieces of at most 450 characters, cut at spaces, 16 of them at most. A text's
 * vector is the mean of its pieces', weighted by length. What lies beyond 7,200 characters does not count.
 */
export function cutIntoPieces(text: string): string[] {
  const clean = text.replace(/\s+/g, ' ').trim();
  // The model has no vector for nothing; a full stop is as near as it comes.
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
