import type { Model, Models, RelationField } from "@servicekit/prisma";
import { type Dependent, dependentsOf, isCascade, isRestrict } from "@servicekit/prisma/internal";
import type { ResourceConfig } from "../resource/config/resource-config.js";
import { deletedField } from "../resource/config/soft-delete.js";

/** A relation to or from rows of a model with soft delete. */
export interface PlannedRelation {
  /** The relation with the foreign key. */
  readonly relation: RelationField;
  /** The model at the other end. */
  readonly model: Model;
}

/** What the deletion of a row of a model means for rows of others. */
export interface DeletionPlan {
  readonly model: Model;
  /** The name of the field with the time of the deletion. */
  readonly field: string;
  /** The key, and the fields of all relations below. */
  readonly select: Readonly<Record<string, true>>;
  /** The rows that are deleted and restored as well. */
  readonly cascades: readonly PlannedRelation[];
  /** The rows that prevent the deletion. */
  readonly restricts: readonly PlannedRelation[];
  /** The rows without which a row cannot be restored. */
  readonly parents: readonly PlannedRelation[];
}

/** The plans of all models with soft delete, by the model's name. */
export type DeletionPlans = ReadonlyMap<string, DeletionPlan>;

/** Reads the plans from the relations of the schema (`onDelete`). */
export function makeDeletionPlans(models: Models, configs: Readonly<Record<string, ResourceConfig>>): DeletionPlans {
  const fields = new Map(
    [...models.values()].flatMap((model) => {
      const field = deletedField(model, configs[model.name]);
      return field === undefined ? [] : [[model.name, field.name] as const];
    }),
  );
  const isSoft = ({ name }: Model): boolean => fields.has(name);
  return new Map([...fields].map(([name, field]) => [name, planOf(models.get(name) as Model, field, models, isSoft)]));
}

function planOf(model: Model, field: string, models: Models, isSoft: (model: Model) => boolean): DeletionPlan {
  const dependents = dependentsOf(model, models);
  const cascades = dependents.filter((one) => isCascade(one) && isSoft(one.model));
  const restricts = dependents.filter(isRestrict);
  const parents = model.fields.flatMap((relation): PlannedRelation[] => {
    if (relation.kind !== "relation" || relation.relation.fields.length === 0) return [];
    const related = models.get(relation.type);
    const own: Dependent = { model, relation };
    return related !== undefined && isSoft(related) && (isCascade(own) || isRestrict(own))
      ? [{ relation, model: related }]
      : [];
  });
  const names = [
    ...[model.key, model.uniqueKeys[0]].flatMap((key) => key?.fields ?? []).map(({ name }) => name),
    ...[...cascades, ...restricts].flatMap(({ relation }) => relation.relation.references),
    ...parents.flatMap(({ relation }) => relation.relation.fields),
  ];
  const select = Object.fromEntries([...new Set(names)].map((name) => [name, true as const]));
  return Object.freeze({ model, field, select, cascades, restricts, parents });
}
