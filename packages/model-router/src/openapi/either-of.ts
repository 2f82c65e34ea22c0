import type { DocumentObject } from "@servicekit/router";

/**
 * Of several sets of properties, one must be complete. Code generators read a bare `required` as "anything", and an
 * `anyOf` next to `properties` as an alternative to them: so each choice is an object inside `allOf`.
 */
export function eitherOf(choices: readonly (readonly (readonly string[])[])[]): DocumentObject {
  const required = choices.flatMap((ways) => (ways.length === 1 ? (ways[0] ?? []) : []));
  const open = choices.filter((ways) => ways.length > 1);
  return {
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(open.length === 0 ? {} : { allOf: open.map((ways) => ({ anyOf: ways.map(waiting) })) }),
  };
}

/** Objects with these properties of any type, because linters require a property where it is listed as required. */
export const waiting = (names: readonly string[]): DocumentObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: names,
});
