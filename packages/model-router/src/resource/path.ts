import { StartupError } from "@servicekit/core";
import { type Models } from "@servicekit/prisma";
import { resourcePath } from "@servicekit/prisma/internal";

/**
 * The path of every model.
 *
 * @throws {StartupError} if two models have one path (contract C6)
 */
export function resourcePaths(models: Models): ReadonlyMap<string, string> {
  const paths = new Map([...models.values()].map((model) => [model.name, resourcePath(model)]));
  const owners = new Map<string, string[]>();
  for (const [name, path] of paths) owners.set(path, [...(owners.get(path) ?? []), name]);
  const issues = [...owners].flatMap(([path, names]) => {
    if (names.length === 1) return [];
    return [
      {
        where: `/${path}`,
        message: `The models ${names.join(" and ")} would share this path. Rename one of them in the schema; @@map preserves its table.`,
      },
    ];
  });
  if (issues.length > 0) throw new StartupError(issues);
  return paths;
}
