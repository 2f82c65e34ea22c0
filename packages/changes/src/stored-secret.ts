import { randomBytes } from "node:crypto";
import type { Database, Model } from "@servicekit/prisma";
import { queryRaw } from "@servicekit/prisma/internal";

/** The row of the secret: no model has this name. */
const place = { model: "$service", key: "event-ids" } as const;

/**
 * Returns the secret of a database that all processes share, and creates it in the log if there is none. The log is not
 * readable without access to all changes, which the secret protects.
 *
 * @param model the model that stores changes
 */
export function readStoredSecret({
  database,
  model,
}: {
  readonly database: Database;
  readonly model: Model;
}): Promise<string> {
  return database.transaction(async (inside) => {
    await queryRaw(inside.client, "SELECT pg_advisory_xact_lock(hashtext($1), 0)::text AS lock", [
      `servicekit secret ${model.name}`,
    ]);
    const changes = inside.of(model);
    const [row] = await changes.findMany({ where: place, orderBy: [{ id: "asc" }], take: 1, select: { after: true } });
    const { secret } = (row?.after ?? {}) as { readonly secret?: unknown };
    if (typeof secret === "string") return secret;
    const created = randomBytes(32).toString("base64url");
    const data = { ...place, operation: "create", actor: "system", after: { secret: created } };
    await changes.create({ data, select: { id: true } });
    return created;
  });
}
