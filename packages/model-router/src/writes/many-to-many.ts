import type { WritableModel } from "../resource/body/writable-model.js";
import type { KeyWhere } from "../resource/key.js";
import type { Row } from "../resource/values/to-json.js";
import { atPlace } from "./at-place.js";
import { checkReadable, findRelated } from "./check-relations.js";
import type { BodyPath, PlannedLink } from "./plan-row.js";
import { createRelated, updateRelated } from "./related-row.js";
import { keyCondition, relatedModel, rowKey, type WriteScope } from "./write-scope.js";

/** Links per statement: two sizes keep the number of the ORM's plans small. */
const chunk = 50;

/** Executes the changes of a relation in a join table: removals first. */
export async function writeManyToMany(
  { relation, acts, at }: PlannedLink,
  row: Row,
  writable: WritableModel,
  scope: WriteScope,
): Promise<void> {
  const { link } = relation;
  if (link.kind !== "manyToMany" || acts === null) return;
  const related = relatedModel(relation, scope);
  const isLinked = { [link.opposite]: { some: keyCondition(writable, row) } };
  const rows = scope.database.of(writable.resource.model);
  const change = (keys: readonly KeyWhere[], verb: "connect" | "disconnect", place: BodyPath) => {
    const data = { [relation.name]: { [verb]: keys } };
    return atPlace(
      place,
      () => rows.update({ where: rowKey(writable, row), data, select: writable.linkSelect }),
      () => "",
    );
  };
  for (const act of acts) {
    if (act.act !== "delete" && act.act !== "disconnect") continue;
    const operation = act.act === "delete" ? "deleteOne" : undefined;
    const key = rowKey(related, await findRelated(relation, [act.where, isLinked], scope, act.at, operation));
    await change([key], "disconnect", act.at);
    if (act.act === "delete") {
      await atPlace(act.at, () => scope.deletions.deleteOne(scope.database, related.resource.model, key));
    }
  }
  const joining: KeyWhere[] = [];
  for (const act of acts) {
    if (act.act === "update") {
      const found = await findRelated(relation, [act.where, isLinked], scope, act.at, "updateOne");
      await updateRelated(act.row, rowKey(related, found), scope);
    } else if (act.act === "connect") {
      joining.push(rowKey(related, await findRelated(relation, [act.where], scope, act.at)));
    } else if (act.act === "create") {
      const created = await createRelated(act.row, scope);
      await checkReadable(related, created, act.at, scope);
      joining.push(rowKey(related, created));
    }
  }
  for (let index = 0; index < joining.length; ) {
    const size = joining.length - index >= chunk ? chunk : 1;
    await change(joining.slice(index, index + size), "connect", at);
    index += size;
  }
}
