import type { Model, Models, RelationField } from "./model.js";

/** A relation through which rows of a model depend on rows of another one. */
export interface Dependent {
  /** The model with the foreign key. */
  readonly model: Model;
  /** The relation of that model. */
  readonly relation: RelationField;
}

/** What happens to a row when the row that it references is deleted; Prisma's default if the schema declares nothing. */
const onDeleteOf = ({ relation, isRequired }: RelationField): string =>
  relation.onDelete ?? (isRequired ? "Restrict" : "SetNull");

/** The relations of all models that reference a model. */
export const dependentsOf = ({ name }: Model, models: Models): readonly Dependent[] =>
  [...models.values()].flatMap((model) =>
    model.fields.flatMap((relation) =>
      relation.kind === "relation" && relation.type === name && relation.relation.fields.length > 0
        ? [{ model, relation }]
        : [],
    ),
  );

/** Whether a row is deleted together with the row that it references. */
export const isCascade = ({ relation }: Dependent): boolean => onDeleteOf(relation) === "Cascade";

/** Whether a row prevents the deletion of the row that it references. */
export const isRestrict = ({ relation }: Dependent): boolean => /^(Restrict|NoAction)$/.test(onDeleteOf(relation));
