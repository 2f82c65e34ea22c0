/** A formatted number of rows. */
export const formatRowCount = (count: number): string =>
  `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
