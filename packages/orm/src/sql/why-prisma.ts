import type { Models, StoredField } from "../model.js";
import { isKnown } from "./column.js";

/**
 * Why all reads of a client must go the way of Prisma; `undefined` when they need not. What was put around Prisma's
 * queries, or listens to them, must see them all.
 */
export function whyAllByPrisma(client: object, models: Models): string | undefined {
  const { _extensions: extensions, _engineConfig: engine } = client as {
    readonly _extensions?: { isEmpty?(): boolean };
    readonly _engineConfig?: { readonly logQueries?: boolean };
  };
  if (extensions?.isEmpty?.() !== true) return "the Prisma client has extensions";
  if (engine === undefined || engine.logQueries === true) return "the Prisma client logs its queries";
  const tagged = [...models.values()].find(({ fieldsByName }) => fieldsByName.has("constructor"));
  return tagged && `${tagged.name} has a field named constructor`;
}

/** The fields whose type the SQL of reads does not know, as `Model.field (Type)`: reads that ask for them are Prisma's. */
export function fieldsByPrisma(models: Models): readonly string[] {
  return [...models.values()].flatMap(({ name, fields }) =>
    fields
      .filter((field): field is StoredField => (field.kind === "scalar" || field.kind === "enum") && !isKnown(field))
      .map((field) => `${name}.${field.name} (${typeText(field)})`),
  );
}

const typeText = ({ type, nativeType, isList }: StoredField): string =>
  `${type}${isList ? "[]" : ""}${nativeType === undefined ? "" : ` @db.${nativeType.name}`}`;
