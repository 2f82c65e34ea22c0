import type { RelationAct, WritableRelation } from "../resource/body/writable-model.js";
import { operationOf } from "../resource/body/writable-model.js";
import type { BodyPath, PlannedLink, PlannedRow } from "./plan-row.js";
import { missing, type WriteScope } from "./write-scope.js";

/**
 * Holds every act of a plan that writes rows of another model against the right that the direct request would need, before
 * anything is looked up: so the answer is the same whether there is such a row or not (contract C50, C57).
 *
 * @throws {HttpError} 400 that names the place, in the words of a missing row
 */
export async function checkActs({ links }: PlannedRow, scope: WriteScope): Promise<void> {
  for (const link of links) await checkLink(link, scope);
}

async function checkLink({ relation, acts, at }: PlannedLink, scope: WriteScope): Promise<void> {
  if (acts === null) return checkAct(relation, "disconnect", at, scope);
  for (const act of acts) {
    await checkAct(relation, act.act, act.at, scope);
    if ("row" in act) await checkActs(act.row, scope);
  }
}

async function checkAct(relation: WritableRelation, act: RelationAct, at: BodyPath, scope: WriteScope): Promise<void> {
  const { related, link } = relation;
  const operation = operationOf(act, link);
  if (operation !== undefined && (await scope.may(related.model, operation)) !== true) throw missing(at);
  if (link.kind !== "theirs" || act === "update" || act === "delete") return;
  // The foreign key is a field of the other row: it is set there by its own name, or by that of its relation.
  const isSeen = link.fields.every(({ name }) => scope.sees(related.model, name));
  if (!isSeen && !scope.sees(related.model, link.opposite)) throw missing(at);
}
