import type { RowTotal } from "../api/shop.js";

/** A formatted number of rows. */
export const formatRowCount = (count: number): string =>
  `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;

/** The formatted number of all matching rows: exact, about, or more than. */
export const formatTotal = ({ total = 0, estimated, limited }: RowTotal): string =>
  `${estimated === true ? "about " : ""}${total.toLocaleString("en")}${limited === true ? "+" : ""}`;

/** The same with the word. */
export const formatRowTotal = (total: RowTotal): string =>
  `${formatTotal(total)} ${total.total === 1 ? "row" : "rows"}`;
