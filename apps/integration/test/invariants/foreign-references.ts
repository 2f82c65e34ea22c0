import type { Model } from "@servicekit/prisma";
import { type CallerName, users } from "./callers.js";
import type { Setup, Values } from "./cases.js";
import { featureValue } from "./features.js";
import { drawnModels } from "./fixtures.js";
import { keyOf, keyText, relationFields } from "./rows.js";
import type { RunningCase } from "./start-case.js";

/** The references to rows of other tenants than that of a caller: by foreign keys and by links. A key may change, so it is not a part of them. */
export async function foreignReferences(
  running: RunningCase,
  { features }: Setup,
  caller: CallerName,
): Promise<readonly string[]> {
  if (featureValue(features, "tenant") === undefined || caller === "root") return [];
  const tenantId = caller === "anonymous" ? undefined : users[caller].tenantId;
  const tables = await running.tables();
  const foreignRows = (model: Model): readonly Values[] =>
    (tables[model.name] ?? []).filter((row) => row.tenantId !== tenantId);
  return drawnModels(running.models).flatMap((model) =>
    relationFields(model, running.models).flatMap(({ name, type, relation: { fields, references: names } }) => {
      const related = running.models.get(type) as Model;
      const foreign = foreignRows(related);
      return (tables[model.name] ?? []).flatMap((row) => {
        const links = (row[name] ?? []) as readonly Values[];
        const targets = foreign.filter(
          (target) =>
            links.some((link) => keyText(related, link) === keyText(related, target)) ||
            (fields.length > 0 && fields.every((field, at) => isSame(row[field], target[names[at] ?? ""]))),
        );
        return targets.map((target) => `${model.name}.${name} to ${type} ${JSON.stringify(keyOf(related, target))}`);
      });
    }),
  );
}

const isSame = (one: unknown, other: unknown): boolean => one !== null && String(one) === String(other);

/** A reference that one list contains more often than another. */
export const addedReference = (before: readonly string[], after: readonly string[]): string | undefined => {
  const countIn = (list: readonly string[], one: string): number => list.filter((other) => other === one).length;
  return after.find((one) => countIn(after, one) > countIn(before, one));
};
