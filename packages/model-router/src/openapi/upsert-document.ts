import type { DocumentObject } from "@servicekit/router";
import type { SettableKey } from "../resource/key.js";
import { conflictName, resolutions } from "../resource/query/read-upsert.js";
import { type componentNames, reference } from "./component-names.js";

/** The parameters of a bulk create that may meet existing rows (contract C99). */
export const upsertParameters = (keys: readonly SettableKey[]): readonly DocumentObject[] => [
  {
    name: "onConflict",
    in: "query",
    description:
      "The unique key that finds existing rows; each item has a value of it. An item whose row exists may leave out required fields.",
    schema: { type: "string", enum: keys.map(conflictName) },
  },
  {
    name: "resolution",
    in: "query",
    description: "Whether items update existing rows, or are skipped. Only together with `onConflict`.",
    schema: { type: "string", enum: resolutions, default: resolutions[0] },
  },
];

/** The responses of such a bulk create. */
export function upsertResponses(
  names: ReturnType<typeof componentNames>,
  orNothing: string,
  unseen: Readonly<Record<string, DocumentObject>>,
): Readonly<Record<string, DocumentObject>> {
  const meta: DocumentObject = {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 0 },
      statuses: {
        type: "array",
        items: { enum: [200, 201] },
        description: "Of each item, in order: 201 for a row that was created, 200 for one that existed.",
      },
    },
    required: ["count", "statuses"],
    additionalProperties: false,
  };
  const upserted: DocumentObject = {
    type: "object",
    properties: { data: { type: "array", items: reference(names.row) }, meta },
    required: ["data", "meta"],
    additionalProperties: false,
  };
  const content = (schema: DocumentObject): DocumentObject => ({ "application/json": { schema } });
  return {
    200: { description: "With `onConflict`: all rows existed.", content: content(upserted) },
    201: {
      description: `The rows that were created, with \`onConflict\` together with those that existed.${orNothing}`,
      content: content({ anyOf: [reference(names.responses), upserted] }),
    },
    ...unseen,
  };
}
