import type { FieldFault } from "@servicekit/core";
import { fromJsonPointer, isObject } from "@servicekit/core/internal";
import type { Model } from "@servicekit/prisma";
import { toJsonField, toJsonValue } from "@servicekit/prisma/internal";
import type { Validator } from "@servicekit/router";
import { z } from "zod";
import { passOnLater } from "../resource/body/pass-on.js";

/** What a guarded schema is of. */
export interface GuardedRow {
  readonly model: Model;
  /** What bodies may set. */
  readonly names: readonly string[];
  /** The keys of the module's schema, where it has any. */
  readonly keys: readonly string[];
  /** The schema in messages, such as `create of Post`. */
  readonly name: string;
}

/**
 * A module's schema in front of what is derived from the model (contract C12): the module says what a client must send,
 * and what it makes of that must be something that the columns keep. So no schema, however loose, lets a hidden field or
 * an instruction of the ORM through.
 *
 * @param guard the derived schema, with nothing required: a hook may add what the client does not send
 */
export function guardedSchema(validate: Validator, guard: z.ZodType, guarded: GuardedRow): z.ZodType {
  return z.unknown().transform(async (input, context) => {
    const verdict = await validate(input, "body");
    if (!verdict.valid) {
      for (const fault of verdict.faults) context.issues.push(toIssue(fault, input));
      if (verdict.sound !== undefined) {
        await passOnLater(guard, sentOnly(toBody(verdict.sound, guarded.model), input), context);
        sortIssues(context.issues, guarded);
      }
      return z.NEVER;
    }
    const body = toBody(verdict.value, guarded.model);
    checkMadeKeys(body, input, guarded);
    return passOnLater(guard, body, context);
  });
}

/** Puts the issues of both schemas in the order of their keys, unknown keys last. */
function sortIssues(issues: Issue[], { keys, names }: GuardedRow): void {
  const order = [...keys, ...names];
  const rankOf = (issue: Issue): number => {
    const { path = [] } = issue;
    // Faults of a module's schema bear codes of ours.
    const code: string = issue.code;
    const isUnknown = code === "unrecognized_keys" ? path.length === 0 : code === "UnknownField" && path.length === 1;
    const index = isUnknown ? -1 : order.indexOf(String(path[0]));
    return index < 0 ? order.length : index;
  };
  issues.sort((a, b) => rankOf(a) - rankOf(b));
}

/** A body without the keys that the schema made: the client cannot correct those. */
function sentOnly(body: unknown, input: unknown): unknown {
  if (!isObject(body) || !isObject(input)) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => Object.hasOwn(input, key)));
}

/** A key that the client did not send was made by the schema: that is no fault of the client's. */
function checkMadeKeys(body: unknown, input: unknown, { names, name }: GuardedRow): void {
  if (typeof body !== "object" || body === null) return;
  const sent = typeof input === "object" && input !== null ? input : {};
  const made = Object.keys(body).find((key) => !names.includes(key) && !Object.hasOwn(sent, key));
  if (made !== undefined) throw new Error(`The schema ${name} makes the key ${made}, which bodies may not set.`);
}

/** What a schema made, as a client would have sent it: dates and big numbers as text, instances as plain objects. */
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

function toIssue({ path, code, message }: FieldFault, input: unknown): Issue {
  return { code, message, input, path: fromJsonPointer(path) } as unknown as Issue;
}
