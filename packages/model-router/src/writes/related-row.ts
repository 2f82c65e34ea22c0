import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import { checkPermitted } from "./check-relations.js";
import type { PlannedRow } from "./plan-row.js";
import type { WriteScope } from "./write-scope.js";

/**
 * Creates a row for a relation of another one.
 *
 * @throws {HttpError} 403 if it would not match the row rule of its model (contract C30)
 */
export async function createRelated(plan: PlannedRow, scope: WriteScope, settled: Row = {}): Promise<Row> {
  const row = await scope.createRow(plan, scope, settled);
  await checkPermitted(plan, row, "createOne", scope);
  return row;
}

/** Updates a row through another one; throws as {@link createRelated} does. */
export async function updateRelated(plan: PlannedRow, where: Where, scope: WriteScope): Promise<void> {
  await checkPermitted(plan, await scope.updateRow(plan, where, scope), "updateOne", scope);
}
