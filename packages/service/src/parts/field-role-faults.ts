import { userFacts } from "@servicekit/auth/settings";
import { type StartFault } from "@servicekit/core";
import { type FaultList, makeFaultList } from "@servicekit/core/internal";
import type { Models } from "@servicekit/prisma";
import type { ServiceSettings } from "../config/settings.js";
import type { ServiceModules } from "./open-modules.js";

/**
 * Roles of field rules that no user can have, where roles are an enum: nobody would see the fields that are meant for them. The
 * roles of operations are held against the same enum with the routes.
 */
export function fieldRoleFaults(
  { authentication }: ServiceSettings,
  { models: configs }: ServiceModules,
  models: Models,
): readonly StartFault[] {
  if (authentication?.mode !== "static") return [];
  const user = models.get(userFacts.model);
  const roles = ["role", "roles"].flatMap((name) => user?.fieldsByName.get(name) ?? []);
  const known = roles.flatMap((field) => (field.kind === "enum" ? field.values : []));
  if (known.length === 0 || roles.some(({ kind }) => kind !== "enum")) return [];
  const faults: FaultList = makeFaultList();
  for (const [model, config] of Object.entries(configs)) {
    for (const role of Object.keys(config.auth?.fields ?? {})) {
      if (role !== "*" && !known.includes(role)) faults.unknown(`models.${model}.auth.fields`, "role", role, known);
    }
  }
  return faults.all;
}
