import type { ValidationIssue } from "@servicekit/core";
import { fromJsonPointer, isObject } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import { toJsonField, toJsonValue } from "@servicekit/prisma/internal";
import type { Validator } from "@servicekit/router";
import { z } from "zod";
import { passOnLater } from "../resource/body/pass-on.js";

/** The subject of a guarded schema. */
export interface GuardedRow {
  readonly model: Model;
  /** The settable fields of bodies. */
  readonly names: readonly string[];
  /** The keys of the module's schema, if known. */
  readonly keys: readonly string[];
  /** The schema in messages, such as `create of Post`. */
  readonly name: string;
}

/**
 * A module's schema before the schema derived from the model (contract C12): the module defines what a client must
 * send, and its output must be storable in the columns. So no schema, however loose, allows a hidden field or an ORM
 * instruction.
 *
 * @param guard the derived schema, with nothing required, because a hook may add missing fields
 */
export function guardedSchema(validate: Validator, guard: z.ZodType, guarded: GuardedRow): z.ZodType {
  return z.unknown().transform(async (input, context) => {
    const verdict = await validate(input, "body");
    if (!verdict.valid) {
      for (const problem of verdict.issues) context.issues.push(toIssue(problem, input));
      if (verdict.validKeys !== undefined) {
        await passOnLater(guard, sentOnly(toBody(verdict.validKeys, guarded.model), input), context);
        sortIssues(context.issues, guarded);
      }
      return z.NEVER;
    }
    const body = toBody(verdict.value, guarded.model);
    checkMadeKeys(body, input, guarded);
    return passOnLater(guard, body, context);
  });
}

/** Sorts the issues of both schemas in the order of their keys, unknown keys last. */
function sortIssues(issues: Issue[], { keys, names }: GuardedRow): void {
  const order = [...keys, ...names];
  const rankOf = (issue: Issue): number => {
    const { path = [] } = issue;
    // Issues of a module's schema have the codes of servicekit.
    const code: string = issue.code;
    const isUnknown = code === "unrecognized_keys" ? path.length === 0 : code === "UnknownField" && path.length === 1;
    const index = isUnknown ? -1 : order.indexOf(String(path[0]));
    return index < 0 ? order.length : index;
  };
  issues.sort((a, b) => rankOf(a) - rankOf(b));
}

/** A body without the keys that the schema added, which the client cannot correct. */
function sentOnly(body: unknown, input: unknown): unknown {
  if (!isObject(body) || !isObject(input)) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => Object.hasOwn(input, key)));
}

/** A key that the client did not send was added by the schema, which is not the client's error. */
function checkMadeKeys(body: unknown, input: unknown, { names, name }: GuardedRow): void {
  if (typeof body !== "object" || body === null) return;
  const sent = typeof input === "object" && input !== null ? input : {};
  const made = Object.keys(body).find((key) => !names.includes(key) && !Object.hasOwn(sent, key));
  if (made !== undefined) throw new Error(`The schema ${name} sets the key ${made}, which bodies cannot set.`);
}

/** The output of a schema as a client would have sent it: dates and big numbers as text, instances as plain objects. */
function toBody(value: unknown, model: Model): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (inner === undefined) return [];
      const field = model.fieldsByName.get(name);
      const isJson = field?.kind === "scalar" && field.type === "Json";
      return [[name, isJson ? toJsonField(field, inner) : toPlain(inner)]];
    }),
  );
}

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  const shown = toJsonValue(value);
  if (shown !== value || typeof value !== "object" || value === null) return shown;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, toPlain(inner)]));
}

type Issue = z.core.$ZodRawIssue;

function toIssue({ path, code, message }: ValidationIssue, input: unknown): Issue {
  return { code, message, input, path: fromJsonPointer(path) } as unknown as Issue;
}
