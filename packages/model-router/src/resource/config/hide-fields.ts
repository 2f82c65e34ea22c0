import { type Field, type Model, type Models, type UniqueKey } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";

/** Whether a field is to be hidden that the schema does not hide. */
export type HidesField = (model: Model, field: Field) => boolean;

/** The same models with more hidden fields; a model's key is hidden with its fields (contract C11). */
export function hideFields(models: Models, hides: HidesField, as: "hidden" | "writeonly" = "hidden"): Models {
  return new Map(
    [...models.values()].map((model) => {
      const marked = markModel(model, (field) => !isHidden(field) && hides(model, field), as);
      const isKeyHidden = marked !== model && marked.key?.fields.some(isHidden) === true;
      return [model.name, isKeyHidden ? Object.freeze({ ...marked, key: undefined }) : marked];
    }),
  );
}

/** The same model with an annotation of some fields. */
export function markModel(
  model: Model,
  marks: (field: Field) => boolean,
  as: "hidden" | "writeonly" | "readonly",
): Model {
  const marked = new Set(model.fields.filter(marks));
  if (marked.size === 0) return model;
  const mark = <F extends Field>(field: F): F =>
    marked.has(field)
      ? Object.freeze<F>({ ...field, annotations: Object.freeze({ ...field.annotations, [as]: true }) })
      : field;
  const markKey = (key: UniqueKey): UniqueKey => Object.freeze({ ...key, fields: Object.freeze(key.fields.map(mark)) });
  const fields = Object.freeze(model.fields.map(mark));
  return Object.freeze({
    ...model,
    fields,
    fieldsByName: new Map(fields.map((field) => [field.name, field])),
    key: model.key && markKey(model.key),
    uniqueKeys: Object.freeze(model.uniqueKeys.map(markKey)),
  });
}
