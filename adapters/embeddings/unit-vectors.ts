/** The vector scaled to length 1. A zero vector stays as it is. */
export function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? [...vector] : vector.map((value) => value / length);
}

/** The weighted mean of vectors, scaled to length 1. */
export function toWeightedMean(
  vectors: readonly (readonly number[])[],
  weights: readonly number[],
): number[] {
  const sum = new Array<number>(vectors[0]?.length ?? 0).fill(0);
  vectors.forEach((vector, index) => {
    const weight = weights[index] ?? 0;
    vector.forEach((value, place) => {
      sum[place] = (sum[place] ?? 0) + value * weight;
    });
  });
  return toUnitLength(sum);
}
