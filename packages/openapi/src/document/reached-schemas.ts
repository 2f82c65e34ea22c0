import type { DocumentObject } from "@servicekit/router";
import type { Turn } from "./yield-between.js";

const reference = /"#\/components\/schemas\/([^"/]+)"/g;

/** The named schemas that operations reference, directly or through others. */
export async function reachedSchemas(
  schemas: Readonly<Record<string, DocumentObject>>,
  roots: readonly object[],
  turn: Turn,
): Promise<Readonly<Record<string, DocumentObject>>> {
  const reached = new Set<string>();
  const follow = (value: object): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(reference)) reached.add(name);
  };
  for (const root of roots) {
    follow(root);
    await turn();
  }
  for (const name of reached) {
    const schema = schemas[name];
    if (schema !== undefined) follow(schema);
    await turn();
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)));
}
