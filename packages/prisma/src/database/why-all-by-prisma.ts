import type { Models } from "../model.js";

/** Whether something was put around the queries of a client. */
export function hasExtensions(client: object): boolean {
  const { _extensions: extensions } = client as { readonly _extensions?: { isEmpty?(): boolean } };
  return extensions?.isEmpty?.() !== true;
}

/**
 * Why all queries of a client must go the way of Prisma; `undefined` when they need not. What was put around Prisma's
 * queries, or listens to them, must see them all.
 */
export function whyAllByPrisma(client: object, models: Models): string | undefined {
  const { _engineConfig: engine } = client as { readonly _engineConfig?: { readonly logQueries?: boolean } };
  if (hasExtensions(client)) return "the Prisma client has extensions";
  if (engine === undefined || engine.logQueries === true) return "the Prisma client logs its queries";
  const tagged = [...models.values()].find(({ fieldsByName }) => fieldsByName.has("constructor"));
  return tagged && `${tagged.name} has a field named constructor`;
}

/** The same for writes: where relations are kept by Prisma and not by the database, a write is more than its statement. */
export function whyWritesByPrisma(client: object, models: Models): string | undefined {
  const { _engineConfig: engine } = client as { readonly _engineConfig?: { readonly inlineSchema?: unknown } };
  if (typeof engine?.inlineSchema !== "string") return whyAllByPrisma(client, models) ?? "its schema is not known";
  const isKept = /^\s*(relationMode|referentialIntegrity)\s*=\s*"prisma"/m.test(engine.inlineSchema);
  return whyAllByPrisma(client, models) ?? (isKept ? 'the schema says relationMode = "prisma"' : undefined);
}
