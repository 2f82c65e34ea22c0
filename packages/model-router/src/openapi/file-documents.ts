import type { DocumentObject } from "@servicekit/router";
import type { componentNames } from "./component-names.js";
import { reference } from "./component-names.js";

type Names = ReturnType<typeof componentNames>;

const header = { description: "Names the file.", schema: { type: "string" } } as const;

/** What a list that exports its rows adds to its description (contract C104). */
export const exportText = (rows: number): string =>
  ` With \`Accept: text/csv\` or \`Accept: application/x-ndjson\` it returns all matching rows, at most ${rows}, as a file.`;

/** The response of a list that can also be a file (contract C104). */
export function withExports(response: DocumentObject, names: Names): DocumentObject {
  return {
    ...response,
    headers: { ...(response.headers as DocumentObject), "Content-Disposition": header },
    content: {
      ...(response.content as DocumentObject),
      "text/csv": { schema: { type: "string" } },
      // Each line is one row.
      "application/x-ndjson": { schema: reference(names.row) },
    },
  };
}

/** The body of a bulk create that can also be a file (contract C104). */
export function withImports(body: DocumentObject, names: Names): DocumentObject {
  return {
    ...body,
    content: {
      ...(body.content as DocumentObject),
      "text/csv": {
        schema: { type: "string", description: "A header with the names of fields, and one line per row." },
      },
      "application/x-ndjson": { schema: reference(names.create) },
    },
  };
}

/** The parameter `dryRun` (contract C104). */
export const dryRunParameter: DocumentObject = {
  name: "dryRun",
  in: "query",
  description: "`true` checks the rows as the write would, and writes nothing.",
  schema: { type: "boolean" },
};

const dryRun: DocumentObject = {
  type: "object",
  properties: {
    meta: {
      type: "object",
      properties: {
        count: { type: "integer", minimum: 0, description: "The number of rows that would be written." },
        dryRun: { const: true },
        statuses: { type: "array", items: { enum: [200, 201] } },
      },
      required: ["count", "dryRun"],
      additionalProperties: false,
    },
  },
  required: ["meta"],
  additionalProperties: false,
};

/** The responses of a bulk create with dry runs. */
export function withDryRun(
  responses: Readonly<Record<string, DocumentObject>>,
): Readonly<Record<string, DocumentObject>> {
  const known = responses[200];
  const description = "With `dryRun=true`: the number of rows that would be written.";
  if (known === undefined)
    return { 200: { description, content: { "application/json": { schema: dryRun } } }, ...responses };
  const { schema } =
    (known.content as Readonly<Record<string, { readonly schema: DocumentObject }>>)["application/json"] ?? {};
  return {
    ...responses,
    200: {
      description: `${String(known.description)} ${description}`,
      content: { "application/json": { schema: { anyOf: [schema, dryRun] } } },
    },
  };
}
