import type { Operation, WritableModel } from "@servicekit/resource";
import { hookName } from "./model-config/hook-names.js";
import type { ModelConfig } from "./model-config/model-config.js";

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
  if (writable === undefined || writable.unsettable.length === 0) return undefined;
  const hook = hookName("before", operation);
  if (hooks?.[hook] !== undefined) return undefined;
  const { user, unsettable, resource } = writable;
  const model = resource.model.name;
  const fields = unsettable.map(({ name }) => name);
  const [first] = fields;
  const remedies = [
    ...(user !== undefined && fields.includes(user.password)
      ? ["configure authentication, which takes and hashes the password"]
      : [`open the field with models.${model}.writable: ["${first}"]`]),
    `set it in the hook ${hook}`,
    "give the column a default",
    `say that it is on purpose with models.${model}.operations.${operation}: false`,
  ];
  const what = `${operation} of ${model} is left out: no body can set ${fields.join(", ")}, which a new row needs.`;
  return { model, operation, fields, message: `${what} Remedies: ${remedies.join("; ")}.` };
}
