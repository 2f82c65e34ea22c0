/** Cents as an amount in euros: `1250` is `"12.50"`. */
export function toEuros(cents: number): string {
  return (cents / 100).toFixed(2);
}
