import type { Model, Models, StoredField } from "@servicekit/prisma";
import { exactJsonText, isStored, toJsonField, withoutEnd } from "@servicekit/prisma/internal";
import type { Change } from "./change.js";

type State = Readonly<Record<string, unknown>>;

/**
 * Stored changes with their states in the form of a response (contract C4), as the service records them: triggers record
 * values as PostgreSQL's `to_jsonb` writes them.
 */
export function toChanges(rows: readonly unknown[], models: Models): readonly Change[] {
  return (rows as readonly Change[]).map((change) => {
    const model = models.get(change.model);
    if (model === undefined) return change;
    return { ...change, before: responseState(model, change.before), after: responseState(model, change.after) };
  });
}

function responseState({ fieldsByName }: Model, state: State | null): State | null {
  if (state === null) return null;
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const field = fieldsByName.get(name);
      return [name, field !== undefined && isStored(field) ? responseValue(field, value) : value];
    }),
  );
}

function responseValue(field: StoredField, value: unknown): unknown {
  if (field.type === "Json" || !field.isList) return itemValue(field, value);
  // A missing list is empty for clients.
  if (value === null) return [];
  return Array.isArray(value) ? value.map((item) => itemValue(field, item)) : value;
}

function itemValue(field: StoredField, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (field.kind === "enum") return enumValue(field.values, field.databaseValues, value);
  switch (field.type) {
    case "BigInt":
      return textOf(value);
    case "Decimal":
      return toJsonField(field, withoutFinalZeros(withoutExponent(textOf(value))));
    case "DateTime":
      return typeof value === "string" ? dateTimeOf(value) : value;
    case "Bytes":
      return typeof value === "string" && /^\\x([\da-f]{2})*$/.test(value)
        ? Buffer.from(value.slice(2), "hex").toString("base64")
        : value;
    case "String":
      return toJsonField(field, value);
    default:
      return value;
  }
}

function enumValue(values: readonly string[], databaseValues: readonly string[], value: unknown): unknown {
  if (typeof value !== "string" || values.includes(value)) return value;
  return values[databaseValues.indexOf(value)] ?? value;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : exactJsonText(value));

/** Numbers from 1e21 and below 1e-6, which JavaScript writes with an exponent; those have at most 17 digits. */
function withoutExponent(text: string): string {
  const [, sign, first = "", rest = "", exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  return point > 0 ? `${sign}${digits.padEnd(point, "0")}` : `${sign}0.${"0".repeat(-point)}${digits}`;
}

const withoutFinalZeros = (decimal: string): string =>
  decimal.includes(".") ? withoutEnd(withoutEnd(decimal, "0"), ".") : decimal;

const jsonDateTime = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?)?$/;

/** A column without a time zone contains UTC. */
function dateTimeOf(text: string): string {
  const moment = /^\d\d:/.test(text) ? `1970-01-01T${text}` : text;
  const [, day, time = "00:00:00", fraction = "", zone = "Z"] = jsonDateTime.exec(moment) ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  if (day === undefined || Number.isNaN(date.getTime())) return text;
  const digits = withoutEnd(fraction, "0");
  return `${date.toISOString().slice(0, -5)}.${digits.padEnd(digits.length > 3 ? 6 : 3, "0")}Z`;
}
