import { nearestWord, type StartFault } from "@servicekit/errors";
import type { Schema } from "@servicekit/router";
import type { RequestHandler } from "express";
import { type AuthHookName, authModule } from "./module-kind.js";

/** Handlers of the auth module, by name: one or several. */
export type AuthHooks = Partial<Readonly<Record<AuthHookName, RequestHandler | readonly RequestHandler[]>>>;

/** Schemas of the auth module: each replaces the one of this package, and opens what it names (contract C27). */
export interface AuthSchemas {
  readonly login?: Schema;
  readonly signup?: Schema;
  readonly updateMe?: Schema;
  readonly updatePassword?: Schema;
}

/** The faults of what an auth module holds: unknown names, with the nearest known one. */
export function authModuleFaults(hooks: AuthHooks, schemas: AuthSchemas): StartFault[] {
  const unknown = (where: string, given: object, known: readonly string[]): StartFault[] =>
    Object.keys(given)
      .filter((name) => !known.includes(name))
      .map((name) => {
        const near = nearestWord(name, known);
        const hint = near === undefined ? `known are ${known.join(", ")}.` : `did you mean ${near}?`;
        return { where, message: `There is no ${name}; ${hint}` };
      });
  const wrong = Object.entries(hooks)
    .filter(([, hook]) => ![hook].flat().every((one) => typeof one === "function"))
    .map(([name]) => ({ where: "hooks of authentication", message: `${name} must be a function or a list of them.` }));
  return [
    ...unknown("hooks of authentication", hooks, authModule.hooks),
    ...unknown("schemas of authentication", schemas, authModule.schemas),
    ...wrong,
  ];
}
