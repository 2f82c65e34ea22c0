import type { Model } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import { toJsonField } from "./json-value.js";

/** The path segment of a row: its key values, percent-encoded and separated by commas (contract C7). */
export function writeKey(model: Model, row: Row): string {
  const fields = model.key?.fields ?? [];
  const segment = fields.map((field) => encodeURIComponent(String(toJsonField(field, row[field.name])))).join(",");
  // /many, in any case, is the path of the bulk operations.
  if (segment.toLowerCase() !== "many") return segment;
  return `%${segment.charCodeAt(0).toString(16).toUpperCase()}${segment.slice(1)}`;
}
