import { isObject } from "@servicekit/core/internal";
import type { StoredField } from "@servicekit/prisma";
import type { Where } from "../filter/where.js";
import type { Resource } from "../resource.js";
import { type PrismaOptionsContext, reject } from "./context.js";
import { readJsonOperand } from "./read-json-operand.js";

/**
 * Reads the reference to one row in Prisma's form, by a unique key without a hidden field: `{ id: 1 }`, `{ a_b: { a: 1,
 * b: 2 } }`.
 */
export function readUniqueWhere(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: PrismaOptionsContext,
): Where | undefined {
  const [name = "", ...others] = isObject(input) ? Object.keys(input) : [];
  const key = resource.model.uniqueKeys.find((one) => one.name === name);
  const fields = key?.fields ?? [];
  if (
    isObject(input) &&
    key !== undefined &&
    others.length === 0 &&
    fields.every((field) => resource.listed.has(field.name))
  ) {
    const given: unknown = fields.length === 1 ? input : input[name];
    const values = isObject(given) ? readValues(given, fields) : undefined;
    if (values !== undefined) return fields.length === 1 ? values : { [name]: values };
  }
  reject(context, path, "InvalidValue", `must be the value of one unique key of ${resource.model.name}`);
  return undefined;
}

function readValues(given: Where, fields: readonly StoredField[]): Where | undefined {
  if (Object.keys(given).length !== fields.length) return undefined;
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? readJsonOperand(field, given[field.name]) : undefined;
    if (value === undefined) return undefined;
    values[field.name] = value;
  }
  return values;
}
