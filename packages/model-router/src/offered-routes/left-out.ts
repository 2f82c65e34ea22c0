import type { StartupIssue } from "@servicekit/core";
import { hookName } from "../model-config/hook-names.js";
import type { ModelConfig } from "../model-config/model-config.js";
import type { WritableModel } from "../resource/body/writable-model.js";
import type { Operation } from "../resource/config/operation.js";

/** A route that is omitted because no request could use it. */
export interface OmittedRoute {
  readonly model: string;
  readonly operation: Operation;
  /** The fields that no request can set. */
  readonly fields: readonly string[];
  /** The omitted route, the reason, and the fixes, in one line. */
  readonly message: string;
}

/**
 * Why no request could create a row: it requires fields that no body can set, and no hook before it sets them (contract
 * C64).
 */
export function lacking(
  operation: Operation,
  writable: WritableModel | undefined,
  { hooks }: ModelConfig,
): OmittedRoute | undefined {
  if (operation !== "createOne" && operation !== "createMany") return undefined;
  if (writable === undefined) return undefined;
  const { user, unsettable, resource } = writable;
  const { model } = resource;
  const close = `disable the operation with models.${model.name}.operations.${operation}: false`;
  if (model.unsettable.length > 0) {
    // The Prisma client lacks these columns, and hooks use it to write.
    const byDatabase = '@default(dbgenerated("…")) if the database sets the column, for example with a trigger';
    return leftOut(operation, model.name, model.unsettable, [byDatabase, "make the column optional", close]);
  }
  const hook = hookName("before", operation);
  if (unsettable.length === 0 || hooks?.[hook] !== undefined) return undefined;
  const fields = unsettable.map(({ name }) => name);
  return leftOut(operation, model.name, fields, [
    ...(user !== undefined && fields.includes(user.password)
      ? ["configure authentication, which takes and hashes the password"]
      : [`allow the field with models.${model.name}.writable: ["${fields[0]}"]`]),
    `set it in the hook ${hook}`,
    "give the column a default",
    close,
  ]);
}

function leftOut(
  operation: Operation,
  model: string,
  fields: readonly string[],
  remedies: readonly string[],
): OmittedRoute {
  const what = `${operation} of ${model} is not available: no body can set ${fields.join(", ")}, which a new row requires.`;
  return { model, operation, fields, message: `${what} Fixes: ${remedies.join("; ")}.` };
}

/**
 * The issues of a configuration that enables an unusable route: `createOne`, by its name or with others, and
 * `createMany` by its name only, because `write` includes both.
 */
export function openedInVain(
  { model, operation, message }: OmittedRoute,
  { auth, operations }: ModelConfig,
): StartupIssue | undefined {
  const own = operation as "createOne" | "createMany";
  const isOpened = (text: unknown): boolean => text !== undefined && text !== false;
  const words = own === "createOne" ? ([own, "write", "all"] as const) : ([own] as const);
  const word = words.find((name) => isOpened(operations?.[name]));
  const right = words.find((name) => auth?.[name] !== undefined);
  if (word === undefined && right === undefined) return undefined;
  const where = right === undefined ? `models.${model}.operations.${word}` : `models.${model}.auth.${right}`;
  return { where, message: message.replace(" is not available:", " cannot work:") };
}
