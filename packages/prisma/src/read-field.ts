import type { StartFault } from "@servicekit/core";
import { readFieldMarks } from "./field-marks.js";
import type { Field } from "./model.js";
import type { EnumData, FieldData, ModelData, ModelsData } from "./models-data.js";
import { readDefault } from "./read-default.js";

/** Makes one field of a model; what is wrong with it is added to `faults`. */
export function readField(
  field: FieldData,
  model: ModelData,
  data: ModelsData,
  enums: ReadonlyMap<string, EnumData>,
  faults: StartFault[],
): Field {
  const where = `field ${model.name}.${field.name}`;
  const { marks, documentation, misspelt } = readFieldMarks(field.name, field.documentation);
  for (const { word, meant } of misspelt) {
    faults.push({ where, message: `has the mark @${word}, which is unknown; did you mean @${meant}?` });
  }
  const base = {
    name: field.name,
    isList: field.isList ?? false,
    isRequired: field.isOptional !== true,
    documentation,
    marks,
  };
  if (field.kind === "relation") {
    const { name, fields = [], references = [], onDelete } = field.relation;
    const related = data.models.find((other) => other.name === field.type);
    if (related === undefined) faults.push({ where, message: `points at the unknown model ${field.type}.` });
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
  const storedField = {
    ...base,
    column,
    isId: isKey("id"),
    isUnique: isKey("unique"),
    isUpdatedAt: field.isUpdatedAt ?? false,
    hasDefault: field.default !== undefined || field.isUpdatedAt === true || base.isList,
    default: readDefault(field),
    isForeignKey: field.isForeignKey ?? false,
    nativeType:
      field.nativeType && Object.freeze({ ...field.nativeType, args: Object.freeze([...field.nativeType.args]) }),
  };
  if (field.kind === "scalar") return Object.freeze({ kind: "scalar", type: field.type, ...storedField });
  const type = enums.get(field.type);
  if (type === undefined) faults.push({ where, message: `is of the unknown enum ${field.type}.` });
  const values = Object.freeze((type?.values ?? []).map(({ name }) => name));
  const databaseValues = Object.freeze((type?.values ?? []).map(({ name, databaseName }) => databaseName ?? name));
  return Object.freeze({ kind: "enum", type: field.type, values, databaseValues, ...storedField });
}
