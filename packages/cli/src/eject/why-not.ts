import type { Model } from "@servicekit/prisma";
import { type Ejectable, shownFields } from "./ejected.js";

/** The parts of a model's configuration that prevent plain code. */
export interface ModuleInfo {
  readonly auth?: { readonly fields?: unknown };
  readonly query?: unknown;
  readonly include?: unknown;
  readonly softDelete?: unknown;
  readonly uploads?: unknown;
  readonly hooks?: Readonly<Record<string, unknown>>;
}

/** The properties of a route to write as code. */
export interface Candidate {
  readonly model: Model;
  readonly operation: Ejectable;
  readonly hasRowRule: boolean;
  /** The models with row rules. */
  readonly ruled: ReadonlySet<string>;
  readonly modules: readonly ModuleInfo[];
  /** The text of the module's hooks. */
  readonly hooks: string;
  readonly hasDtos: boolean;
  readonly hasAccounts: boolean;
}

/**
 * Why a route cannot be written as code, as a sentence: plain code would return or write what the generated route does
 * not; `undefined` if it can.
 */
export function whyNot(candidate: Candidate): string | undefined {
  const { model, operation, modules } = candidate;
  const words = operation.charAt(0).toUpperCase() + operation.slice(1);
  const hook = [`before${words}`, `after${words}`].find(
    (name) =>
      new RegExp(`export (const|async function|function) ${name}\\b`).test(candidate.hooks) ||
      modules.some(({ hooks }) => hooks?.[name] !== undefined),
  );
  if (candidate.hasRowRule)
    return "a row rule (auth.where) limits the rows of a caller; only the service applies it on every path.";
  if (modules.some(({ auth }) => auth?.fields !== undefined))
    return "auth.fields limits which fields a caller sees; plain code would return all of them to everyone.";
  if (modules.some(({ softDelete }) => softDelete !== undefined && softDelete !== false))
    return "its rows have soft delete, which plain code would ignore.";
  if (hook !== undefined)
    return `the hook ${hook} would not run. Remove it from the module first, and write its code into the route.`;
  if (modules.some(({ query, include }) => query !== undefined || include !== undefined))
    return "the module has query options (query, include), which plain code would ignore.";
  if (operation !== "deleteOne" && model.fields.some(({ kind }) => kind === "computed"))
    return "the model has computed fields, which plain code would not return.";
  if (operation !== "findMany" && model.key?.fields.length !== 1) return "its rows have no id of one field.";
  const unsaid = shownFields(model).find(({ type }) => type === "BigInt" || type === "Bytes" || type === "Decimal");
  if (unsaid !== undefined && operation !== "deleteOne")
    return `${unsaid.name} is a ${unsaid.type}, which JSON cannot represent.`;
  const referred = model.fields.find(
    (field) => field.kind === "relation" && field.relation.fields.length > 0 && candidate.ruled.has(field.type),
  );
  const writes = operation === "createOne" || operation === "updateOne";
  if (writes && referred !== undefined)
    return `its body may reference rows of ${referred.type}, which has a row rule or soft delete; plain code would not check it.`;
  if (writes && candidate.hasDtos) return "its bodies are validated with DTO classes (the module's dtos).";
  if (writes && modules.some(({ uploads }) => uploads !== undefined)) return "its bodies upload files (uploads).";
  if (writes && candidate.hasAccounts && model.name === "User")
    return "the service hashes passwords of users only in its own routes.";
  return undefined;
}
