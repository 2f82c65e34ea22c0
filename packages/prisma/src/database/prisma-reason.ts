/** The private fields of a client that contain its options. */
interface ClientEngine {
  readonly logQueries?: boolean;
  /** The schema that the client was generated from. */
  readonly inlineSchema?: unknown;
  readonly adapter?: unknown;
}

const engineOf = (client: object): ClientEngine | undefined =>
  (client as { readonly _engineConfig?: ClientEngine })._engineConfig;

/** Whether the client has extensions. */
export function hasExtensions(client: object): boolean {
  const { _extensions: extensions } = client as { readonly _extensions?: { isEmpty?(): boolean } };
  return extensions?.isEmpty?.() !== true;
}

/** Whether the client is known to query through this adapter. */
export const usesAdapter = (client: object, adapter: object): boolean => engineOf(client)?.adapter === adapter;

/** Whether the database enforces relations; with `relationMode = "prisma"` a write is more than its statement. */
export function hasForeignKeys(client: object): boolean {
  const schema = engineOf(client)?.inlineSchema;
  return typeof schema === "string" && !/^\s*(relationMode|referentialIntegrity)\s*=\s*"prisma"/m.test(schema);
}

/**
 * Why Prisma Client must run every query of a client; `undefined` if SQL may run them. Extensions and query logs must see
 * all queries.
 */
export function prismaReason(client: object): string | undefined {
  const engine = engineOf(client);
  if (hasExtensions(client)) return "the Prisma client has extensions";
  if (engine === undefined || engine.logQueries === true) return "the Prisma client logs its queries";
  if (typeof engine.inlineSchema !== "string") return "the schema of the Prisma client is unknown";
  if (!hasForeignKeys(client)) return 'the Prisma schema sets relationMode = "prisma"';
  return undefined;
}
