const pieceLength = 1_000;
const mostPieces = 16;

/**
 * What the local model reads of a text: pieces of at most 1,000 characters, cut at spaces, 16 of them at most. The model
 * was trained on sentences and takes time quadratic in a text's length; a text's vector is the mean of its pieces',
 * weighted by length. What lies beyond 16,000 characters does not count.
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
