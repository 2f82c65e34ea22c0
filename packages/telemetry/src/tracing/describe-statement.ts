import type { Attributes } from "@opentelemetry/api";

/** What a span is begun with. */
export interface SpanForm {
  readonly name: string;
  readonly attributes: Attributes;
}

/** What a `WITH` begins with is what the statement does. */
const operation = /^(?:with\s+\w+\s+as\s+\(\s*)?([a-z]+)/i;
const table = /\b(?:from|into|update)\s+(?:"[^"]*"\s*\.\s*|\w+\.)?(?:"([^"]+)"|(\w+))/i;
const mostText = 2_000;

/** The span of a statement, such as `SELECT Product` (OpenTelemetry, semantic conventions of databases). */
export function describeStatement(sql: string): SpanForm {
  const text = sql.length > mostText ? `${sql.slice(0, mostText)}…` : sql;
  const verb = operation.exec(text.trimStart())?.[1]?.toUpperCase() ?? "statement";
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
