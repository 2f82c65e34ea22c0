import pluralize from "pluralize";

/** The path of a model's routes: the plural of its kebab-case name, such as `media-types` (contract C6). */
export function resourcePath({ resource }: { readonly resource: string }): string {
  const words = resource.split("-");
  return [...words.slice(0, -1), pluralize(words.at(-1) ?? "")].join("-");
}
