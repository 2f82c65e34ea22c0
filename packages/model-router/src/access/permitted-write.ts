import { httpErrors } from "@servicekit/core";
import type { Database, Result } from "@servicekit/prisma";
import { rowsWhere } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { modelState } from "../request/request-state.js";
import type { Where } from "../resource/filter/where.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";

/**
 * Executes a write whose rows must match the row rule of its operation afterwards, in one transaction with that check
 * (contract C30). Without a rule it is only the write.
 *
 * @param write returns rows with their key fields
 * @throws {HttpError} 403 if a row would not match: nothing is changed
 */
export function permittedWrite<R extends Result>(
  database: Database,
  resource: Resource,
  request: Request,
  write: (database: Database) => Promise<R>,
): Promise<R> {
  const { left: rule } = modelState(request);
  if (rule === undefined) return write(database);
  return database.transaction(async (inside) => {
    const written = await write(inside);
    if ("json" in written) throw new TypeError("A row rule is checked with the rows of a write, not with their JSON.");
    await checkPermitted(written.rows, rule, inside, resource);
    return written;
  });
}

async function checkPermitted(
  rows: readonly Row[],
  rule: Where,
  database: Database,
  resource: Resource,
): Promise<void> {
  if (rows.length === 0) return;
  const { identity, model } = resource;
  const names = identity.map(({ name }) => name);
  const keys = rowsWhere(names, rows);
  const count = await database.of(model).count({ where: { AND: [rule, keys] } });
  if (count !== rows.length) throw httpErrors.Forbidden();
}
