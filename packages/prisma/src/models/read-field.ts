import type { StartupIssue } from "@servicekit/core";
import { capabilitiesOf } from "../providers/capabilities.js";
import { mysqlType } from "../providers/mysql-types.js";
import { type Provider, readProvider } from "../providers/provider.js";
import { readFieldAnnotations } from "./field-annotations.js";
import { isHidden } from "./is-hidden.js";
import type { Field, ScalarField, ScalarType, StoredField } from "./model.js";
import type { EnumData, FieldData, ModelData, ModelsData } from "./models-data.js";
import { readDefault } from "./read-default.js";

/** Creates one field of a model; its problems are added to `issues`. */
export function readField(
  field: FieldData,
  model: ModelData,
  data: ModelsData,
  enums: ReadonlyMap<string, EnumData>,
  issues: StartupIssue[],
): Field {
  const where = `field ${model.name}.${field.name}`;
  const { annotations, documentation, misspelt } = readFieldAnnotations(field.name, field.documentation);
  for (const { word, meant } of misspelt) {
    issues.push({ where, message: `has the unknown annotation @${word}. Did you mean @${meant}?` });
  }
  if (annotations.visible && isHidden({ annotations })) {
    const message =
      field.name === "password"
        ? "is always hidden. Remove @visible, or rename the field."
        : "has @visible and an annotation that hides it. Remove one of them.";
    issues.push({ where, message });
  }
  const base = {
    name: field.name,
    isList: field.isList ?? false,
    isRequired: field.isOptional !== true,
    documentation,
    annotations,
  };
  if (field.kind === "relation") {
    const { name, fields = [], references = [], onDelete } = field.relation;
    const related = data.models.find((other) => other.name === field.type);
    if (related === undefined) issues.push({ where, message: `references the unknown model ${field.type}.` });
    const opposite = related?.fields.find(
      (other) => other.kind === "relation" && other.relation.name === name && (related !== model || other !== field),
    )?.name;
    const relation = Object.freeze({
      name,
      fields: Object.freeze([...fields]),
      references: Object.freeze([...references]),
      opposite,
      onDelete,
    });
    return Object.freeze({ kind: "relation", ...base, column: field.name, type: field.type, relation });
  }
  const column = field.column ?? field.name;
  if (field.kind === "unsupported") return Object.freeze({ kind: "unsupported", ...base, column, type: field.type });

  const isKey = (kind: "id" | "unique"): boolean =>
    model.keys.some((key) => key.kind === kind && key.fields.length === 1 && key.fields[0] === field.name);
  const nativeType =
    field.kind === "scalar" && data.provider === "mysql" ? mysqlType(field.type, field.nativeType) : field.nativeType;
  const storedField = {
    ...base,
    column,
    isId: isKey("id"),
    isUnique: isKey("unique"),
    isUpdatedAt: field.isUpdatedAt ?? false,
    hasDefault: field.default !== undefined || field.isUpdatedAt === true || base.isList,
    default: readDefault(field),
    isForeignKey: field.isForeignKey ?? false,
    nativeType: nativeType && Object.freeze({ ...nativeType, args: Object.freeze([...nativeType.args]) }),
  };
  if (field.kind === "scalar") {
    const limits = columnLimits(field.type, nativeType, readProvider(data.provider) ?? "postgresql");
    return Object.freeze({ kind: "scalar", type: field.type, ...storedField, ...limits });
  }
  const type = enums.get(field.type);
  if (type === undefined) issues.push({ where, message: `has the unknown enum ${field.type}.` });
  const values = Object.freeze((type?.values ?? []).map(({ name }) => name));
  const databaseValues = Object.freeze((type?.values ?? []).map(({ name, databaseName }) => databaseName ?? name));
  return Object.freeze({ kind: "enum", type: field.type, values, databaseValues, ...storedField });
}

/** What a column of a provider contains, as far as it differs from one of PostgreSQL. */
function columnLimits(
  type: ScalarType,
  nativeType: StoredField["nativeType"],
  provider: Provider,
): Pick<ScalarField, "isFinite" | "isRounded" | "years"> {
  const { nonFiniteNumbers, years } = capabilitiesOf(provider);
  const isNumber = type === "Float" || type === "Decimal";
  const hasMicroseconds = type === "DateTime" && Number(nativeType?.args[0] ?? 0) > 3;
  return {
    ...(isNumber && !nonFiniteNumbers && { isFinite: true }),
    ...(type === "DateTime" &&
      !/^Time(tz)?$/.test(nativeType?.name ?? "") && { years: nativeType?.name === "Date" ? years.day : years.moment }),
    ...(hasMicroseconds && provider === "mysql" && { isRounded: true }),
  };
}
