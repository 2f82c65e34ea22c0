import type { DeclaredRoute } from "@servicekit/router";

/**
 * Names operations: `findManyPost` for a generated route, `postTracksByIdPublish` for a declared one; each name once.
 */
export function makeOperationIds(): (route: DeclaredRoute, path: string) => string {
  const taken = new Set<string>();
  return (route, path) => {
    const wanted = idOf(route, path);
    let id = wanted;
    for (let count = 2; taken.has(id); count += 1) id = `${wanted}${count}`;
    taken.add(id);
    return id;
  };
}

function idOf({ method, origin }: DeclaredRoute, path: string): string {
  if (origin.operation !== undefined && origin.model !== undefined) return `${origin.operation}${origin.model}`;
  const words = path
    .split("/")
    .filter((word) => word !== "" && word !== "api")
    .flatMap((word) => (word.startsWith("{") ? ["by", word.slice(1, -1)] : word.split(/[^A-Za-z0-9]+/)));
  return [method.toLowerCase(), ...words.filter(Boolean).map(capitalised)].join("");
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
