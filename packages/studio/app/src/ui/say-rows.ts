/** A number of rows, in words. */
export const sayRows = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
