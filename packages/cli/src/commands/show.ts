import { formatTable, type Table } from "../terminal/table.js";
import type { CommandResult } from "./inspected-service.js";

/** The output of a command: a table for users, or JSON for programs. */
export function show(isJson: boolean, table: Table, json: unknown): CommandResult {
  return { text: isJson ? JSON.stringify(json, null, 2) : formatTable(table) };
}
