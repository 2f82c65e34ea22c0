import { isPlainObject, nearestWord } from "@servicekit/core/internal";
import { isOperand } from "../conditions/check-operand.js";
import { fillUp } from "../conditions/field-condition.js";
import { operatorsOf } from "../conditions/operators-of.js";
import { isStored } from "../models/is-stored.js";
import type { Model, Models, RelationField, StoredField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import {
  allOf,
  anyOf,
  condition,
  everyRow,
  type Filter,
  jsonCondition,
  notOf,
  opaque,
  type Quantifier,
  related,
} from "./filter.js";
import { exactOperators, looseOperators } from "./prisma-operators.js";

/**
 * Reads a Prisma `where` of the application, above all a row rule. Conditions with an equivalent among the filters are converted; every
 * other is passed to the ORM unchanged.
 *
 * @throws {TypeError} for `undefined`, for empty conditions and for an unknown field: a mistake of the rule must not
 * grant access
 */
export function readRowFilter(where: unknown, model: Model, models: Models): Filter {
  const fail: Fail = (what, fix = "return true for all rows, or false for none.") =>
    new TypeError(`The row rule of ${model.name} returned ${what}: ${fix}`);
  return readStrictly(where, model, models, fail);
}

/**
 * Reads a Prisma `where` of the configuration in the same way.
 *
 * @throws {TypeError} with the fix
 */
export const readConfiguredFilter = (where: unknown, model: Model, models: Models): Filter =>
  readStrictly(
    where,
    model,
    models,
    (what, fix = "remove it, or add a condition.") => new TypeError(`Found ${what}: ${fix}`),
  );

function readStrictly(where: unknown, model: Model, models: Models, fail: Fail): Filter {
  if (!isPlainObject(where)) throw fail("no filter");
  return readGroup(where, model, { models, fail });
}

/**
 * Reads the `where` of a query of Prisma Client. Parts that Prisma Client treats in a way of its own, such as an empty member of an
 * `OR`, are opaque.
 */
export const readWhere = (where: Clause, model: Model, models: Models): Filter =>
  readGroup(where, model, { models, fail: undefined });

/** Creates the error of a condition that must not be ignored. */
type Fail = (what: string, fix?: string) => TypeError;

interface Reading {
  readonly models: Models;
  /** `undefined` if an empty condition means none. */
  readonly fail: Fail | undefined;
}

function readGroup(where: Clause, model: Model, reading: Reading): Filter {
  const keys = Object.keys(where);
  if (keys.length === 0 && reading.fail !== undefined) throw reading.fail("an empty filter");
  return allOf(keys.map((key) => readEntry(key, where[key], model, reading)));
}

function readEntry(key: string, value: unknown, model: Model, reading: Reading): Filter {
  if (value === undefined) return emptyCondition(`undefined for ${key}`, reading);
  if (key === "AND" || key === "OR" || key === "NOT") return readMembers(key, value, model, reading);
  const field = model.fieldsByName.get(key);
  const target = field?.kind === "relation" ? reading.models.get(field.type) : undefined;
  if (field?.kind === "relation" && target !== undefined && (value === null || isPlainObject(value))) {
    return readRelation(field, value, target, reading);
  }
  if (field === undefined && reading.fail !== undefined) throw unknownField(key, model);
  if (field === undefined) return readKey(key, value, model) ?? opaque({ [key]: value });
  checkDefined(value, key, reading);
  if (isPlainObject(value) && Object.keys(value).length === 0)
    return reading.fail === undefined ? opaque({ [key]: value }) : emptyCondition(`nothing for ${key}`, reading);
  if (field.kind === "computed" && reading.fail !== undefined)
    throw reading.fail(`the computed field ${key}`, "use the stored fields that it needs.");
  if (field.kind === "computed" && field.comparable !== undefined) return readField(field.comparable, value);
  if (!isStored(field)) return opaque({ [key]: value });
  if (field.type === "Json" && !field.isList && isPlainObject(value) && value.path !== undefined)
    return readJsonPath(field, value, reading);
  return readField(field, value);
}

/** A key of several fields, such as `{ a_b: { a: 1, b: 2 } }`. */
function readKey(name: string, value: unknown, { uniqueKeys }: Model): Filter | undefined {
  const key = uniqueKeys.find((one) => one.name === name && one.fields.length > 1);
  if (key === undefined || !isPlainObject(value) || Object.keys(value).length !== key.fields.length) return undefined;
  const isWhole = key.fields.every((field) => value[field.name] !== undefined && !isPlainObject(value[field.name]));
  return isWhole ? allOf(key.fields.map((field) => readField(field, value[field.name]))) : undefined;
}

function unknownField(name: string, model: Model): TypeError {
  const near = nearestWord(name, [...model.fieldsByName.keys()]);
  const hint = near === undefined ? "" : `. Did you mean ${near}?`;
  return new TypeError(`A row rule uses ${name}, which is not a field of ${model.name}${hint}`);
}

function emptyCondition(what: string, { fail }: Reading): Filter {
  if (fail !== undefined) throw fail(what);
  return everyRow;
}

function readMembers(word: "AND" | "OR" | "NOT", value: unknown, model: Model, reading: Reading): Filter {
  const isLeftOut = (member: unknown): boolean => !isPlainObject(member) || Object.keys(member).length === 0;
  if (reading.fail === undefined && word !== "AND") {
    const members = Array.isArray(value) ? value : [value];
    if (members.length === 0 || members.some(isLeftOut)) return opaque({ [word]: value });
  }
  if (isPlainObject(value)) {
    const only = readGroup(value, model, reading);
    return word === "NOT" ? notOf(only) : only;
  }
  if (!Array.isArray(value)) {
    if (reading.fail !== undefined) throw reading.fail(`nothing for ${word}`);
    return opaque({ [word]: value });
  }
  // An `OR` without members matches no row, also inside an `AND`, where the ORM would ignore it.
  if (value.length === 0 && word !== "OR") return emptyCondition(`nothing for ${word}`, reading);
  const empty = word === "OR" ? readEmptyList(value, model) : undefined;
  if (empty !== undefined) return empty;
  const members = value.map((member: unknown) => {
    if (isPlainObject(member)) return readGroup(member, model, reading);
    if (reading.fail !== undefined) throw reading.fail(`no filter in ${word}`);
    return everyRow;
  });
  if (word === "OR") return anyOf(members);
  return allOf(word === "NOT" ? members.map(notOf) : members);
}

/** Both forms of an empty list, as `isEmpty` of a list field is written. */
function readEmptyList(members: readonly unknown[], { fieldsByName }: Model): Filter | undefined {
  const only = (value: unknown): readonly [string, unknown] | undefined =>
    isPlainObject(value) && Object.keys(value).length === 1 ? Object.entries(value)[0] : undefined;
  const [first, second] = members.map(only);
  const [one, other] = [only(first?.[1]), only(second?.[1])];
  const isEmpty = one?.[0] === "isEmpty" && one[1] === true && other?.[0] === "equals" && other[1] === null;
  if (members.length !== 2 || !isEmpty || first?.[0] !== second?.[0]) return undefined;
  const field = fieldsByName.get(first?.[0] ?? "");
  const isList = isStored(field) && field.isList;
  return isList && operatorsOf(field).includes("isEmpty") ? condition(field, "isEmpty", true) : undefined;
}

const quantifiers = { one: ["is", "isNot"], many: ["some", "every", "none"] } as const;

/** `{}` is a condition on a to-one relation: that there is a related row. */
function readRelation(field: RelationField, value: Clause | null, target: Model, reading: Reading): Filter {
  const isEmpty = value !== null && Object.keys(value).length === 0;
  // The ORM ignores it.
  if (field.isList && isEmpty && reading.fail !== undefined) throw reading.fail(`nothing for ${field.name}`);
  const words: readonly string[] = field.isList ? quantifiers.many : quantifiers.one;
  const handOn = (): Filter => {
    checkDefined(value, field.name, reading);
    return opaque({ [field.name]: value });
  };
  const isLong = value !== null && !isEmpty && Object.keys(value).every((word) => words.includes(word));
  if (field.isList && !isLong) return handOn();
  const entries: readonly (readonly [string, unknown])[] = isLong ? Object.entries(value) : [["is", value]];
  const filters = entries.map(([word, inner]): Filter | undefined => {
    if (inner === undefined) return emptyCondition(`undefined for ${word}`, reading);
    if (inner === null) {
      // The ORM rejects an existence check of a required row.
      return field.isList || field.isRequired ? undefined : related(field, word as Quantifier, null);
    }
    if (!isPlainObject(inner)) return undefined;
    const filter = Object.keys(inner).length === 0 ? everyRow : readGroup(inner, target, reading);
    return related(field, word as Quantifier, filter);
  });
  return filters.includes(undefined) ? handOn() : allOf(filters as Filter[]);
}

function readField(field: StoredField, value: unknown): Filter {
  if (!isPlainObject(value)) return readOperator(field, "equals", value, undefined) ?? opaque({ [field.name]: value });
  const { mode, ...operators } = value;
  return allOf(
    Object.entries(operators).map(([word, operand]) => {
      const inMode = mode === undefined ? {} : { mode };
      const handedOn = { [field.name]: { [word]: operand, ...inMode } };
      if (
        word === "not" &&
        isPlainObject(operand) &&
        Object.keys(operand).length === 1 &&
        comparesValue(field, operand)
      ) {
        return notOf(readField(field, { ...inMode, ...operand }));
      }
      const known = readOperator(field, word, operand, mode);
      return known ?? opaque(handedOn, comparesValue(field, operand) ? field : undefined);
    }),
  );
}

/** The path and its operators are one condition: the ORM rejects a path alone. */
function readJsonPath(field: StoredField, value: Clause, { fail }: Reading): Filter {
  const { path, mode, ...operators } = value;
  const comparisons = Object.entries(operators).filter(([, operand]) => operand !== undefined);
  const isPath = Array.isArray(path) && path.length > 0 && path.every((step) => typeof step === "string");
  if (isPath && comparisons.length > 0)
    return allOf(comparisons.map(([operator, operand]) => jsonCondition(field, path, operator, operand, mode)));
  if (fail === undefined) return opaque({ [field.name]: value });
  const what = isPath ? "without an operator" : "that is not a list of texts";
  throw fail(`a path of ${field.name} ${what}`, `write it like { ${field.name}: { path: ["a", "0"], equals: 1 } }.`);
}

const patterns: ReadonlySet<string> = new Set(["contains", "startsWith", "endsWith"]);

/** The equivalent condition; `undefined` if there is none. */
function readOperator(field: StoredField, word: string, operand: unknown, mode: unknown): Filter | undefined {
  if (field.type === "Json") return undefined;
  if (field.isList) return mode === undefined ? readListOperator(field, word, operand) : undefined;
  if (operand === null) {
    if (field.isRequired || (word !== "equals" && word !== "not") || mode === "insensitive") return undefined;
    return condition(field, "isNull", word === "equals");
  }
  const isInsensitive = mode === "insensitive";
  const operator = (isInsensitive ? looseOperators : exactOperators).get(word);
  if (operator === undefined || !operatorsOf(field).includes(operator)) return undefined;
  const isPattern = isInsensitive || patterns.has(word);
  const value = isPattern ? unescaped(operand) : plainNumber(field, operand);
  // A `char(n)` is compared in any case with the blanks that fill it up.
  if (value === undefined || (operator === "iequals" && fillUp(field, value as string) !== value)) return undefined;
  return comparesWithValues(field, operator, value) ? condition(field, operator, value) : undefined;
}

/** The text that a pattern finds; `undefined` for one that finds several. */
function unescaped(pattern: unknown): string | undefined {
  if (typeof pattern !== "string" || !/^(?:[^\\%_]|\\[\\%_])*$/.test(pattern)) return undefined;
  return pattern.replaceAll(/\\(.)/g, "$1");
}

/** A floating-point number that was put into the form of a decimal number for Prisma, as a number again. */
const plainNumber = ({ type }: StoredField, operand: unknown): unknown => {
  if (Array.isArray(operand)) return operand.map((one) => plainNumber({ type } as StoredField, one));
  const isWrapped = type === "Float" && typeof operand === "object" && operand !== null && "toFixed" in operand;
  return isWrapped ? Number((operand as { toFixed(): string }).toFixed()) : operand;
};

/** Conditions on a list that find no NULL, as those of Prisma. */
function readListOperator(field: StoredField, word: string, operand: unknown): Filter | undefined {
  const isKnown =
    word === "isEmpty"
      ? operand === false
      : word === "has" || (Array.isArray(operand) && (operand.length > 0 || word !== "equals"));
  const operator = (operatorsOf(field) as readonly string[]).includes(word);
  const value = plainNumber(field, operand);
  return isKnown && operator && comparesWithValues(field, word, value) ? condition(field, word, value) : undefined;
}

/** Whether the operand is a value, or a list of values, of the field's type. */
function comparesWithValues(field: StoredField, operator: string, operand: unknown): boolean {
  const takesList = operator === "in" || operator === "notIn" || (field.isList && operator !== "has");
  if (operator === "isNull" || operator === "isEmpty") return typeof operand === "boolean";
  if (!takesList) return isOperand(field, operand);
  return Array.isArray(operand) && operand.every((one) => isOperand(field, one));
}

/** Whether the field is compared with values, and neither with another column nor with a nullable value. */
function comparesValue(field: StoredField, operand: unknown): boolean {
  if (field.isList || field.type === "Json") return false;
  if (!isPlainObject(operand)) return Array.isArray(operand) ? operand.every(isValue) : isValue(operand);
  return !("_ref" in operand) && Object.values(operand).every((inner) => comparesValue(field, inner));
}

function isValue(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value !== null && value !== undefined;
  return value instanceof Date || value instanceof Uint8Array || "toFixed" in value;
}

function checkDefined(value: unknown, key: string, reading: Reading): void {
  if (reading.fail === undefined) return;
  if (value === undefined) throw reading.fail(`undefined in ${key}`);
  if (Array.isArray(value)) for (const item of value) checkDefined(item, key, reading);
  else if (isPlainObject(value)) for (const inner of Object.values(value)) checkDefined(inner, key, reading);
}
