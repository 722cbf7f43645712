const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** US dollars, to a hundredth of a cent. Empty where the cost is not known. */
export function toDollars(cost: number | null): string {
  return cost === null ? '' : dollars.format(cost);
}
