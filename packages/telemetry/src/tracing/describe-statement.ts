import type { Attributes } from "@opentelemetry/api";

/** The start of a span. */
export interface SpanForm {
  readonly name: string;
  readonly attributes: Attributes;
}

/** The kind of the statement follows its `WITH` clause. */
const operation = /^(?:with\s+\w+\s+as\s+\(\s*)?([a-z]+)/i;
const table = /\b(?:from|into|update)\s+(?:"[^"]*"\s*\.\s*|\w+\.)?(?:"([^"]+)"|(\w+))/i;
const maxText = 2_000;

/** The name of a statement's span, such as `SELECT Product` (OpenTelemetry, semantic conventions of databases). */
export function describeStatement(sql: string): SpanForm {
  const text = sql.length > maxText ? `${sql.slice(0, maxText)}…` : sql;
  const verb = operation.exec(text.trimStart())?.[1]?.toUpperCase() ?? "statement";
  const [, quoted, plain] = table.exec(text) ?? [];
  const name = quoted ?? plain;
  return {
    name: name === undefined ? verb : `${verb} ${name}`,
    attributes: {
      "db.system.name": "postgresql",
      "db.operation.name": verb,
      ...(name === undefined ? {} : { "db.collection.name": name }),
      // Values are passed as parameters, not in the text.
      "db.query.text": text,
    },
  };
}
