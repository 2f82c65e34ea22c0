import type { FaultList } from "@servicekit/errors";
import { isObject } from "@servicekit/field-path";
import { type Operation, operationNames } from "@servicekit/resource";
import { checkNames, eachKey, type KeyCheck } from "./key-check.js";

/** Checks a model's `auth`: operations, row rules, roles and the fields of roles. */
export const checkAuth: KeyCheck = (where, value, model, faults) => {
  const known = [...operationNames, "where", "fields"];
  eachKey(where, value, "operation or key", known, faults, (inner, given, key) => {
    if (isOperation(key)) checkOperationAccess(inner, given, faults);
    else if (key === "where") checkRowRule(inner, given, faults);
    else if (!isObject(given)) faults.wrong(inner, "an object of field names by role", given);
    else {
      const fields = model?.fields.map(({ name }) => name);
      for (const [role, names] of Object.entries(given)) checkNames(`${inner}.${role}`, names, "field", fields, faults);
    }
  });
};

function checkOperationAccess(where: string, value: unknown, faults: FaultList): void {
  if (typeof value === "boolean" || isRoles(value)) return;
  if (!isObject(value)) {
    faults.wrong(where, "true, false, a list of roles, or an object with rule and where", value);
    return;
  }
  eachKey(where, value, "key", ["rule", "where"], faults, (inner, given, key) => {
    if (key === "where") checkRowRule(inner, given, faults);
    else if (typeof given !== "boolean" && !isRoles(given) && !(isObject(given) && isRoles(given.roles))) {
      faults.wrong(inner, "true, false, a list of roles, or an object with roles", given);
    }
  });
}

function checkRowRule(where: string, value: unknown, faults: FaultList): void {
  if (typeof value !== "function") faults.wrong(where, "a function from the request to a filter, true or false", value);
}

const isRoles = (value: unknown): boolean =>
  Array.isArray(value) && value.every((role) => typeof role === "string" && role !== "");

/** Whether a word names one of the eight operations. */
const isOperation = (word: string): word is Operation => (operationNames as readonly string[]).includes(word);
