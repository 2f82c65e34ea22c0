import { isBodyField, isOptionalInCreate } from "../models/body-fields.js";
import { isStored } from "../models/is-stored.js";
import type { Model, Models, StoredField } from "../models/model.js";
import { isPathText } from "../models/path-text.js";

/** A body of generated code. */
export interface GeneratedBody {
  readonly model: Model;
  readonly mode: "create" | "update";
  readonly fields: readonly GeneratedField[];
}

export interface GeneratedField {
  readonly field: StoredField;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
  /** Whether it is an id alone, and therefore a segment of a path. */
  readonly isPathText: boolean;
}

/** The bodies of every writable model: its stored fields that bodies may set. */
export function generatedBodies(models: Models): readonly GeneratedBody[] {
  return [...models.values()].flatMap((model) => {
    if (model.isView || model.key === undefined) return [];
    const modes = model.isCreatable ? (["create", "update"] as const) : (["update"] as const);
    return modes.map((mode) => ({ model, mode, fields: generatedFields(model, mode) }));
  });
}

function generatedFields(model: Model, mode: GeneratedBody["mode"]): readonly GeneratedField[] {
  return model.fields.flatMap((field) => {
    if (!isStored(field) || !isBodyField(field)) return [];
    return {
      field,
      isOptional: mode === "update" || isOptionalInCreate(field),
      isNullable: !field.isRequired && !field.isList && field.type !== "Json",
      isPathText: isPathText(model, field),
    };
  });
}
