import { toJsonPointer } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import { ormErrors, referenced, referencing } from "@servicekit/prisma/internal";
import { modelErrors } from "../resource/errors.js";
import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import { atPlace } from "../writes/at-place.js";
import type { BodyPath } from "../writes/plan-row.js";
import { type DeletionContext, keyOf } from "./delete-rows.js";
import type { DeletionPlan } from "./deletion-plans.js";
import { changeBatches, lockMatching, matchesAny } from "./row-batches.js";

/** What an error of a restore may name. */
export interface RestoreContext {
  /** Whether the caller may see a field or relation of a model. */
  readonly sees: (model: Model, field: string) => boolean;
}

/** The restored rows of one model, and their place below the row of the request. */
interface Restored {
  readonly plan: DeletionPlan;
  readonly rows: readonly Row[];
  readonly at: BodyPath;
}

/** Restores the row with a unique key, and what was deleted with it. */
export async function restoreRow(
  plan: DeletionPlan,
  where: Where,
  context: Omit<DeletionContext, "time">,
  { sees }: RestoreContext,
): Promise<void> {
  const { database, plans } = context;
  const { model, field, select } = plan;
  const rows = database.of(model);
  await rows.lock(where);
  const row = await rows.findUnique({ where, select: { ...select, [field]: true } });
  if (row === null) throw ormErrors.NotFound();
  const time = row[field];
  if (time === null) throw modelErrors.NotDeleted();
  await rows.update({ where: keyOf(where), data: { [field]: null }, select });
  const restored: Restored[] = [];
  await restoreBelow({ plan, rows: [row], at: [] });
  for (const each of restored) await checkParents(each);

  async function restoreBelow(above: Restored): Promise<void> {
    restored.push(above);
    for (const { relation, model: child } of above.plan.cascades) {
      const below = plans.get(child.name);
      const children = referencing(relation, above.rows);
      const { opposite } = relation.relation;
      if (below === undefined || children === undefined || opposite === undefined) continue;
      const at = [...above.at, opposite];
      const isDeletedToo = { AND: [children, { [below.field]: time }] };
      await atPlace(at, () =>
        changeBatches(database, below, isDeletedToo, { [below.field]: null }, (found) =>
          restoreBelow({ plan: below, rows: found, at }),
        ),
      );
    }
  }

  async function checkParents({ plan: { model: of, parents }, rows: children, at }: Restored): Promise<void> {
    for (const { relation, model: parent } of parents) {
      const ofParent = plans.get(parent.name);
      if (ofParent === undefined) continue;
      const isDeleted = await matchesAny(
        database,
        parent,
        children,
        (some) => {
          const above = referenced(relation, some);
          return above && { AND: [above, { NOT: { [ofParent.field]: null } }] };
        },
        async (some) => {
          const above = referenced(relation, some);
          if (above !== undefined) await lockMatching(database, parent, above);
        },
      );
      if (!isDeleted) continue;
      const path = [...at, relation.name];
      const isSeen = sees(of, relation.name) && isPathSeen(model, at);
      const message = "The row belongs to a deleted one. Restore that one first.";
      throw ormErrors.ForeignKeyConstraint(message, {
        errors: [{ in: "body", path: isSeen ? toJsonPointer(path) : "", code: "ForeignKeyConstraint", message }],
      });
    }
  }

  function isPathSeen(start: Model, at: BodyPath): boolean {
    let current: Model | undefined = start;
    for (const name of at) {
      if (current === undefined || !sees(current, String(name))) return false;
      current = database.models.get(current.fieldsByName.get(String(name))?.type ?? "");
    }
    return true;
  }
}
