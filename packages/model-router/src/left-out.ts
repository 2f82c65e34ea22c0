import type { StartFault } from "@servicekit/core";
import { hookName } from "./model-config/hook-names.js";
import type { ModelConfig } from "./model-config/model-config.js";
import type { WritableModel } from "./resource/body/writable-model.js";
import type { Operation } from "./resource/operation.js";

/** A route that is not there because no request could use it. */
export interface LeftOutRoute {
  readonly model: string;
  readonly operation: Operation;
  /** What no request can set. */
  readonly fields: readonly string[];
  /** What is left out, why, and what can be done, in one line. */
  readonly message: string;
}

/** Why no request could create a row: it needs what no body can set, and no hook before it sets that (contract C64). */
export function lacking(
  operation: Operation,
  writable: WritableModel | undefined,
  { hooks }: ModelConfig,
): LeftOutRoute | undefined {
  if (operation !== "createOne" && operation !== "createMany") return undefined;
  if (writable === undefined) return undefined;
  const { user, unsettable, resource } = writable;
  const { model } = resource;
  const close = `say that it is on purpose with models.${model.name}.operations.${operation}: false`;
  if (model.unsettable.length > 0) {
    // The client of Prisma does not know these columns, and a hook writes with it.
    const byDatabase = '@default(dbgenerated("…")) where the database sets the column, a trigger included';
    return leftOut(operation, model.name, model.unsettable, [byDatabase, "make the column optional", close]);
  }
  const hook = hookName("before", operation);
  if (unsettable.length === 0 || hooks?.[hook] !== undefined) return undefined;
  const fields = unsettable.map(({ name }) => name);
  return leftOut(operation, model.name, fields, [
    ...(user !== undefined && fields.includes(user.password)
      ? ["configure authentication, which takes and hashes the password"]
      : [`open the field with models.${model.name}.writable: ["${fields[0]}"]`]),
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
): LeftOutRoute {
  const what = `${operation} of ${model} is left out: no body can set ${fields.join(", ")}, which a new row needs.`;
  return { model, operation, fields, message: `${what} Remedies: ${remedies.join("; ")}.` };
}

/**
 * What is wrong with a configuration that opens a route that no request could use: `createOne`, by its name or with others,
 * and `createMany` by its name alone, since `write` means both.
 */
export function openedInVain(
  { model, operation, message }: LeftOutRoute,
  { auth, operations }: ModelConfig,
): StartFault | undefined {
  const own = operation as "createOne" | "createMany";
  const isOpened = (said: unknown): boolean => said !== undefined && said !== false;
  const words = own === "createOne" ? ([own, "write", "all"] as const) : ([own] as const);
  const word = words.find((name) => isOpened(operations?.[name]));
  const right = words.find((name) => auth?.[name] !== undefined);
  if (word === undefined && right === undefined) return undefined;
  const where = right === undefined ? `models.${model}.operations.${word}` : `models.${model}.auth.${right}`;
  return { where, message: message.replace(" is left out:", " cannot work:") };
}
