import { preferredType } from "@servicekit/router/internal";
import type { Request } from "express";

/** A format of exports. */
export type ExportFormat = "csv" | "ndjson";

/** The media type of each format. */
export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

const formats = Object.keys(exportTypes) as readonly ExportFormat[];

const listTypes = ["application/json", ...Object.values(exportTypes)];

/** The format that the `Accept` header of a request prefers to JSON; `undefined` for JSON. */
export function exportFormatOf(request: Request): ExportFormat | undefined {
  const { accept } = request.headers;
  if (accept === undefined || accept === "*/*" || accept === "application/json") return undefined;
  const type = preferredType(request, listTypes);
  return formats.find((format) => exportTypes[format] === type);
}
