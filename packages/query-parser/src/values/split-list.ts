import { fillLimits, overLimit, type QueryLimits } from "../query-limits.js";
import { findClosingQuote, type ReadText, unescapeQuoted } from "./read-text.js";

/**
 * Splits a value at its commas. `\,` is a comma inside an item, and commas of an item in double quotes do not split it
 * (contract C19). The empty value is the empty list; `""` is a list of one empty text.
 *
 * @param parameter the name for an error
 * @throws {HttpError} 400 `QueryLimitExceeded` for more items than `limits.listItems`
 */
export function splitList(raw: string, limits?: Partial<QueryLimits>, parameter?: string): ReadText[] {
  const items: ReadText[] = [];
  if (raw === "") return items;
  const filled = fillLimits(limits);
  for (let at = 0; at <= raw.length; ) {
    if (items.length === filled.listItems) throw overLimit("listItems", filled, parameter);
    const closing = raw[at] === '"' ? findClosingQuote(raw, at) : -1;
    if (closing !== -1 && (closing + 1 === raw.length || raw[closing + 1] === ",")) {
      items.push({ text: unescapeQuoted(raw.slice(at + 1, closing)), quoted: true });
      at = closing + 2;
      continue;
    }
    let end = raw.indexOf(",", at);
    while (end > at && raw[end - 1] === "\\") end = raw.indexOf(",", end + 1);
    const stop = end === -1 ? raw.length : end;
    items.push({ text: raw.slice(at, stop).replaceAll("\\,", ","), quoted: false });
    at = stop + 1;
  }
  return items;
}
