/** US dollars to the cent; below a dollar, to a hundredth of a cent. Empty if the cost is not known. */
export function toDollars(cost: number | null): string {
  if (cost === null) return '';
  if (cost > 0 && cost < 0.0001) return '<$0.0001';
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}
