import type { DMMF } from "@prisma/generator-helper";
import type { ScalarType } from "../models/model.js";
import type { EnumData, FieldData, KeyData, ModelData, ModelsData, ScalarFieldData } from "../models/models-data.js";
import { providerName, readProvider } from "../providers/provider.js";
import { findUnsettableColumns, findUnsupportedFields, type UnsupportedFieldPlace } from "./unsupported-fields.js";

/** The used part of Prisma's data model meta format (DMMF). */
export type DataModel = Pick<DMMF.Document, "datamodel" | "mappings">;

/**
 * Turns Prisma's data model into plain data. The same schema always gives the same data.
 *
 * @param schemaText The schema itself, because the DMMF lacks the provider, fields of type `Unsupported` and the
 * `relationMode`.
 */
export function toModelsData(dmmf: DataModel, schemaText = ""): ModelsData {
  const unsupported = findUnsupportedFields(schemaText);
  const enums = new Set(dmmf.datamodel.enums.map(({ name }) => name));
  const unsettable = findUnsettableColumns(schemaText, (type) => scalarTypes.has(type) || enums.has(type));
  return {
    format: 1,
    ...providerIn(schemaText),
    ...(emulatesRelations.test(schemaText) ? { relationMode: "prisma" as const } : {}),
    enums: dmmf.datamodel.enums.map(toEnumData),
    models: dmmf.datamodel.models.map((model) => {
      const operations = dmmf.mappings.modelOperations.find((entry) => entry.model === model.name);
      const isView = operations?.deleteMany == null;
      const unset = isView ? [] : (unsettable.get(model.name) ?? []);
      const fields = placeUnsupported(model.fields.map(toFieldData), unsupported.get(model.name) ?? []);
      return {
        name: model.name,
        ...(model.dbName == null ? {} : { table: model.dbName }),
        ...(model.schema == null ? {} : { schema: model.schema }),
        ...(isView ? { isView } : {}),
        ...(operations?.createMany == null || unset.length > 0 ? { isCreatable: false as const } : {}),
        ...(unset.length === 0 ? {} : { unsettable: unset }),
        ...documentationOf(model),
        fields,
        keys: keysOf(model, dmmf.datamodel.indexes),
      } satisfies ModelData;
    }),
  };
}

const emulatesRelations = /^\s*(relationMode|referentialIntegrity)\s*=\s*"prisma"/m;

/** The provider of the datasource, unless it is PostgreSQL. */
function providerIn(schemaText: string): Pick<ModelsData, "provider"> {
  const provider = readProvider(providerName(schemaText));
  return provider === undefined || provider === "postgresql" ? {} : { provider };
}

const scalarTypes: ReadonlySet<string> = new Set<ScalarType>([
  ...(["String", "Boolean", "Int", "BigInt", "Float", "Decimal", "DateTime", "Json", "Bytes"] as const),
]);

function toEnumData(from: DMMF.DatamodelEnum): EnumData {
  return {
    name: from.name,
    ...(from.dbName == null ? {} : { databaseName: from.dbName }),
    ...documentationOf(from),
    values: from.values.map(({ name, dbName }) => ({ name, ...(dbName == null ? {} : { databaseName: dbName }) })),
  };
}

function toFieldData(field: DMMF.Field): FieldData {
  const base = {
    name: field.name,
    ...(field.isList ? { isList: true as const } : {}),
    ...(field.isRequired ? {} : { isOptional: true as const }),
    ...documentationOf(field),
  };
  if (field.kind === "object") {
    const { relationFromFields: fields = [], relationToFields: references = [], relationOnDelete: onDelete } = field;
    const relation = {
      name: field.relationName ?? "",
      ...(fields.length === 0 ? {} : { fields, references }),
      ...(onDelete === undefined ? {} : { onDelete }),
    };
    return { kind: "relation", ...base, type: field.type, relation };
  }
  const stored = {
    ...base,
    ...(field.dbName == null ? {} : { column: field.dbName }),
    ...(field.isUpdatedAt ? { isUpdatedAt: true as const } : {}),
    ...(field.isReadOnly ? { isForeignKey: true as const } : {}),
    ...(field.nativeType == null ? {} : { nativeType: { name: field.nativeType[0], args: field.nativeType[1] } }),
    ...(field.hasDefaultValue ? { default: toDefault(field.default) } : {}),
  };
  if (field.kind === "enum") return { kind: "enum", type: field.type, ...stored };
  return { kind: "scalar", type: field.type as ScalarType, ...stored };
}

/** Only numbers among the arguments are included, such as the version of a `uuid(7)`. */
function toDefault(from: DMMF.Field["default"]): NonNullable<ScalarFieldData["default"]> {
  if (typeof from !== "object" || !("name" in from)) return { value: from };
  const args = from.args.filter((arg): arg is number => typeof arg === "number");
  return { function: from.name, ...(args.length === 0 ? {} : { args }) };
}

function keysOf(model: DMMF.Model, indexes: readonly DMMF.Index[]): KeyData[] {
  const own = indexes.filter((index) => index.model === model.name);
  const keys = [...own.filter((index) => index.type === "id"), ...own.filter((index) => index.type === "unique")];
  return keys.map((index) => ({
    kind: index.type === "id" ? "id" : "unique",
    fields: index.fields.map((field) => field.name),
    ...(index.name === undefined ? {} : { name: index.name }),
    ...(index.dbName === undefined ? {} : { constraint: index.dbName }),
  }));
}

/** Inserts each unsupported field after its predecessor in the schema. */
function placeUnsupported(fields: FieldData[], places: readonly UnsupportedFieldPlace[]): FieldData[] {
  for (const { field, before } of places) {
    const previous = before.find((name) => fields.some((known) => known.name === name));
    const at = previous === undefined ? 0 : fields.findIndex((known) => known.name === previous) + 1;
    fields.splice(at, 0, field);
  }
  return fields;
}

function documentationOf(from: { readonly documentation?: string }): { documentation?: string } {
  return from.documentation === undefined ? {} : { documentation: from.documentation };
}
