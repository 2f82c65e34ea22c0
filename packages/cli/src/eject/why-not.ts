import type { Model } from "@servicekit/prisma";
import { type Ejectable, shownFields } from "./ejected.js";

/** What a module, or the code of the service, says of a model, as far as it stands in the way. */
export interface ModuleFacts {
  readonly auth?: { readonly fields?: unknown };
  readonly query?: unknown;
  readonly include?: unknown;
  readonly uploads?: unknown;
  readonly hooks?: Readonly<Record<string, unknown>>;
}

/** What is known of a route that shall be code. */
export interface Candidate {
  readonly model: Model;
  readonly operation: Ejectable;
  readonly hasRowRule: boolean;
  /** The models with row rules. */
  readonly ruled: ReadonlySet<string>;
  readonly modules: readonly ModuleFacts[];
  /** The text of the module's hooks. */
  readonly hooks: string;
  readonly hasDtos: boolean;
  readonly hasAccounts: boolean;
}

/**
 * Why a route is not written as code, in a sentence: plain code would show or write what the generated route does not;
 * `undefined` where it would not.
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
    return "a row rule (auth.where) says which rows there are for whom; only the service lays it over every path.";
  if (modules.some(({ auth }) => auth?.fields !== undefined))
    return "auth.fields says who sees which fields; plain code would show all of them to everyone.";
  if (hook !== undefined)
    return `the hook ${hook} would not run; take it out of the module first, and write what it does.`;
  if (modules.some(({ query, include }) => query !== undefined || include !== undefined))
    return "the module has query options of its own (query, include), which plain code would not mind.";
  if (operation !== "findMany" && model.key?.fields.length !== 1) return "its rows have no id of one field.";
  const unsaid = shownFields(model).find(({ type }) => type === "BigInt" || type === "Bytes" || type === "Decimal");
  if (unsaid !== undefined && operation !== "deleteOne")
    return `${unsaid.name} is a ${unsaid.type}, which JSON has no form for.`;
  const referred = model.fields.find(
    (field) => field.kind === "relation" && field.relation.fields.length > 0 && candidate.ruled.has(field.type),
  );
  const writes = operation === "createOne" || operation === "updateOne";
  if (writes && referred !== undefined)
    return `its body may refer to rows of ${referred.type}, whose row rule says who may; plain code would not ask.`;
  if (writes && candidate.hasDtos) return "its bodies are held against DTO classes (the module's dtos).";
  if (writes && modules.some(({ uploads }) => uploads !== undefined)) return "its bodies bring files (uploads).";
  if (writes && candidate.hasAccounts && model.name === "User")
    return "passwords of users are hashed by the service on its own paths only.";
  return undefined;
}
