import type { WritableModel } from "../resource/body/writable-model.js";
import type { Where } from "../resource/filter/where.js";
import type { KeyWhere } from "../resource/key.js";
import { keyOfRow, keyWhere } from "../resource/key.js";
import type { Row } from "../resource/values/to-json.js";
import type { PlannedRow } from "./plan-row.js";
import { pick, relatedModel, type WriteScope } from "./write-scope.js";

/** A plan, and the row that it updates; none for a new row. */
export interface NamedPlan {
  readonly plan: PlannedRow;
  readonly where: Where | undefined;
}

/** The rows of one model that a request identifies. */
interface NamedRows {
  readonly writable: WritableModel;
  readonly keys: KeyWhere[];
  /** Identified by unique fields that are not the key. */
  readonly others: Row[];
  forDelete: boolean;
}

/**
 * Locks the rows that a request updates, model by model and in the order of their keys, before it writes the first of
 * them in the order of its body. So two requests with the same rows in different orders wait for each other instead of
 * deadlocking, and a row is checked against the rules in the state in which it is changed.
 */
export async function lockNamed(plans: readonly NamedPlan[], scope: WriteScope): Promise<void> {
  const named = new Map<string, NamedRows>();
  const rowsOf = (writable: WritableModel): NamedRows => {
    const { name } = writable.resource.model;
    const known = named.get(name) ?? { writable, keys: [], others: [], forDelete: false };
    named.set(name, known);
    return known;
  };
  for (const { plan, where } of plans) {
    if (where !== undefined) rowsOf(plan.writable).keys.push(where as KeyWhere);
    gather(plan, rowsOf, scope);
  }
  const all = [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, rows]) => rows);
  for (const { writable, keys, others, forDelete } of all) {
    const { model, keySelect } = writable.resource;
    const rows = scope.database.of(model);
    const found = others.length === 0 ? [] : await rows.findMany({ where: { OR: others }, select: keySelect });
    await rows.lockEach([...keys, ...found.map((row) => keyOfRow(model, row))], { forDelete });
  }
}

function gather({ links }: PlannedRow, rowsOf: (writable: WritableModel) => NamedRows, scope: WriteScope): void {
  for (const { relation, acts } of links) {
    for (const act of acts ?? []) {
      if ("row" in act) gather(act.row, rowsOf, scope);
      // A row that is only referenced is not changed.
      if (act.act === "create" || (act.act === "connect" && relation.link.kind !== "hasMany")) continue;
      if (Object.keys(act.where).length === 0) continue;
      const rows = rowsOf(relatedModel(relation, scope));
      const { model } = rows.writable.resource;
      const names = (model.key?.fields ?? []).map(({ name }) => name);
      if (names.every((name) => Object.hasOwn(act.where, name))) {
        rows.keys.push(keyWhere(model, pick(act.where, names) as Parameters<typeof keyWhere>[1]));
      } else rows.others.push(act.where);
      if (act.act === "delete") rows.forDelete = true;
    }
  }
}
