import type { Models } from "@servicekit/prisma";
import type { ServiceModules } from "./open-modules.js";

/**
 * Omits the routes of models of the service itself, unless the configuration enables them: they would expose what the
 * rules of other models hide.
 */
export function closeOwnModels(
  names: readonly string[],
  modules: ServiceModules,
  models: Models | undefined,
): ServiceModules {
  const closed = names
    .filter((name) => models?.has(name) === true)
    .map((name) => {
      const given = modules.models[name];
      return [name, { ...given, operations: { all: false, ...given?.operations } }] as const;
    });
  return closed.length === 0 ? modules : { ...modules, models: { ...modules.models, ...Object.fromEntries(closed) } };
}
