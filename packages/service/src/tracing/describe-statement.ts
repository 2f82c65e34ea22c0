import type { SpanForm } from "./open-tracing.js";

const operation = /^\s*([a-z]+)/i;
const table = /\b(?:from|into|update)\s+(?:"[^"]*"\s*\.\s*|\w+\.)?(?:"([^"]+)"|(\w+))/i;
const mostText = 2_000;

/** The span of a statement, such as `SELECT Product` (OpenTelemetry, semantic conventions of databases). */
export function describeStatement(sql: string): SpanForm {
  const text = sql.length > mostText ? `${sql.slice(0, mostText)}…` : sql;
  const verb = operation.exec(text)?.[1]?.toUpperCase() ?? "statement";
  const [, quoted, plain] = table.exec(text) ?? [];
  const name = quoted ?? plain;
  return {
    name: name === undefined ? verb : `${verb} ${name}`,
    attributes: {
      "db.system.name": "postgresql",
      "db.operation.name": verb,
      ...(name === undefined ? {} : { "db.collection.name": name }),
      // Values go beside it, as parameters.
      "db.query.text": text,
    },
  };
}
