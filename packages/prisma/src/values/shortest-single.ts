/** The shortest number that single precision stores as the same value: 0.1 for 0.10000000149011612. */
export function shortestSingle(value: number): number {
  const single = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const shortest = Number(single.toPrecision(digits));
    if (Math.fround(shortest) === single) return shortest;
  }
  return Number(single.toPrecision(9));
}
