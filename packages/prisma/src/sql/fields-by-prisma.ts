import type { Models, StoredField } from "../model.js";
import { isKnown } from "./column.js";

/** The fields whose type the SQL does not know, or that it cannot make, as `Model.field (Type)`: they are left to Prisma. */
export function fieldsByPrisma(
  models: Models,
  isMade: (field: StoredField) => boolean = () => true,
): readonly string[] {
  return [...models.values()].flatMap(({ name, fields }) =>
    fields
      .filter((field): field is StoredField => field.kind === "scalar" || field.kind === "enum")
      .filter((field) => !isKnown(field) || !isMade(field))
      .map((field) => `${name}.${field.name} (${isKnown(field) ? defaultText(field) : typeText(field)})`),
  );
}

const defaultText = ({ default: from }: StoredField): string =>
  from !== undefined && "function" in from ? `default ${from.function}()` : "default";

const typeText = ({ type, nativeType, isList }: StoredField): string =>
  `${type}${isList ? "[]" : ""}${nativeType === undefined ? "" : ` @db.${nativeType.name}`}`;
