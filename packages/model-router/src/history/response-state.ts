import type { Model, StoredField } from "@servicekit/prisma";
import { exactJsonText, isStored, toJsonField } from "@servicekit/prisma/internal";
import type { Row } from "../resource/values/to-json.js";

/** A recorded state in the form of a response: triggers record values as PostgreSQL's `to_jsonb` writes them. */
export function responseState({ fieldsByName }: Model, state: Row): Row {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const field = fieldsByName.get(name);
      return [name, field !== undefined && isStored(field) ? responseValue(field, value) : value];
    }),
  );
}

function responseValue(field: StoredField, value: unknown): unknown {
  if (field.isList) return Array.isArray(value) ? value.map((item) => itemValue(field, item)) : value;
  return itemValue(field, value);
}

function itemValue(field: StoredField, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === "string") {
    if (field.type === "DateTime") return dateTimeOf(value);
    return field.type === "Bytes" && /^\\x([\da-f]{2})*$/.test(value)
      ? Buffer.from(value.slice(2), "hex").toString("base64")
      : value;
  }
  if (field.type === "BigInt") return exactJsonText(value);
  return field.type === "Decimal" ? toJsonField(field, withoutFinalZeros(exactJsonText(value))) : value;
}

/** A decimal without zeros at the end of its fraction. */
function withoutFinalZeros(decimal: string): string {
  if (!decimal.includes(".")) return decimal;
  let end = decimal.length;
  while (decimal[end - 1] === "0") end--;
  return decimal.slice(0, decimal[end - 1] === "." ? end - 1 : end);
}

const jsonDateTime = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?)?$/;

/** A column without a time zone contains UTC. */
function dateTimeOf(text: string): string {
  const [, day, time = "00:00:00", fraction = "", zone = "Z"] = jsonDateTime.exec(text) ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  if (day === undefined || Number.isNaN(date.getTime())) return text;
  return `${date.toISOString().slice(0, -5)}.${fraction.padEnd(fraction.length > 3 ? 6 : 3, "0")}Z`;
}
