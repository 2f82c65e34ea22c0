import { isSortable, operatorsOf } from "../conditions/operators-of.js";
import type { ScalarField, StoredField } from "../models/model.js";

/** The functions that compute one value from the values of a field in each group. */
export const aggregateFunctions = ["sum", "avg", "min", "max", "countDistinct"] as const;

/** Such as `sum`. */
export type AggregateFunction = (typeof aggregateFunctions)[number];

/** A value that is computed from the rows of each group. */
export interface Measure {
  /** `count`, or the function and its field, such as `sum.total`. */
  readonly name: string;
  readonly function: "count" | AggregateFunction;
  /** The field whose values are aggregated; `undefined` for `count`. */
  readonly of: StoredField | undefined;
  /** The result as a field: its type decides how it is compared, sorted and written as JSON. */
  readonly field: StoredField;
}

const made = new WeakMap<ReadonlyMap<string, StoredField>, ReadonlyMap<string, Measure>>();

/** All measures of these fields by name. */
export function measuresOf(fields: ReadonlyMap<string, StoredField>): ReadonlyMap<string, Measure> {
  const known = made.get(fields);
  if (known !== undefined) return known;
  const measures = new Map<string, Measure>();
  const add = (word: Measure["function"], of: StoredField | undefined, result: StoredField): void => {
    const name = of === undefined ? word : `${word}.${of.name}`;
    const field = Object.freeze({ ...result, name, column: `m${measures.size}` });
    measures.set(name, Object.freeze<Measure>({ name, function: word, of, field }));
  };
  add("count", undefined, numberField);
  for (const word of aggregateFunctions) {
    for (const field of fields.values()) {
      const result = measureResult(word, field);
      if (result !== undefined) add(word, field, result);
    }
  }
  made.set(fields, measures);
  return measures;
}

/** The type of a measure; `undefined` if its function does not fit the field. */
export function measureResult(word: AggregateFunction, field: StoredField): StoredField | undefined {
  switch (word) {
    case "sum":
      return isNumeric(field) ? sumField(field) : undefined;
    case "avg":
      return isNumeric(field) ? scalar(field.type === "Float" ? "Float" : "Decimal") : undefined;
    case "min":
    case "max":
      return isRanked(field) ? valueField(field) : undefined;
    case "countDistinct":
      return isSortable(field) ? numberField : undefined;
  }
}

/** The field of a group's value: null if a relation on its path has no readable row. */
export const groupField = (field: StoredField, name: string, column: string): StoredField =>
  Object.freeze({ ...valueField(field), name, column });

/** The start of a period as a date, such as `2026-01-01`. */
export const periodField = (name: string, column: string): StoredField =>
  Object.freeze({ ...scalar("String"), name, column });

/** Whether the values of a field belong to days, weeks and longer periods. */
export function hasPeriods({ type, nativeType, isList }: StoredField): boolean {
  return type === "DateTime" && !isList && nativeType?.name !== "Time" && nativeType?.name !== "Timetz";
}

const rangeOperators: ReadonlySet<string> = new Set("equals not in notIn lt lte gt gte isNull".split(" "));

/** The operators of conditions on a measure. */
export const measureOperators = ({ field }: Measure): readonly string[] =>
  operatorsOf(field).filter((operator) => rangeOperators.has(operator));

const numericTypes: ReadonlySet<string> = new Set(["Int", "BigInt", "Float", "Decimal"]);

/** Whether values of a field have a sum. An object id is a number only by its form. */
const isNumeric = (field: StoredField): boolean =>
  field.kind === "scalar" && !field.isList && numericTypes.has(field.type) && field.nativeType?.name !== "Oid";

/** Types whose values PostgreSQL sorts, but for which it has no minimum. */
const withoutMinimum: ReadonlySet<string> = new Set(["Uuid", "Bit", "VarBit"]);

const isRanked = (field: StoredField): boolean =>
  isSortable(field) &&
  field.type !== "Boolean" &&
  field.type !== "Bytes" &&
  !withoutMinimum.has(field.nativeType?.name ?? "");

/** A sum of integers can exceed their type, so it is written like a BigInt: as text. */
function sumField({ type, nativeType }: StoredField): StoredField {
  if (type === "Float") return scalar("Float");
  if (type !== "Decimal") return scalar(type === "Int" ? "BigInt" : "Decimal");
  if (nativeType?.name !== "Decimal") return scalar("Decimal", nativeType);
  return scalar("Decimal", { name: "Decimal", args: [maxPrecision, nativeType.args[1] ?? "0"] });
}

const maxPrecision = "1000";

/** The same value without the properties of a column; a time is compared in UTC. */
const valueField = (field: StoredField): StoredField => ({
  ...field,
  ...common,
  nativeType: field.nativeType?.name === "Timetz" ? { ...field.nativeType, name: "Time" } : field.nativeType,
});

const scalar = (type: ScalarField["type"], nativeType?: ScalarField["nativeType"]): ScalarField => ({
  ...{ kind: "scalar", name: "", column: "", type, nativeType },
  ...common,
});

const common = {
  isList: false,
  isRequired: false,
  documentation: undefined,
  annotations: { hidden: false, readonly: false, writeonly: false, writable: false, visible: false },
  isId: false,
  isUnique: false,
  isUpdatedAt: false,
  hasDefault: false,
  default: undefined,
  isForeignKey: false,
} as const;

const numberField: StoredField = { ...scalar("Int"), isRequired: true };
