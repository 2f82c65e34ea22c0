import { formatTable, type Table } from "../terminal/table.js";
import type { Said } from "./inspected-service.js";

/** What a command shows: a table for people, the same as JSON for programs. */
export function show(isJson: boolean, table: Table, json: unknown): Said {
  return { text: isJson ? JSON.stringify(json, null, 2) : formatTable(table) };
}
