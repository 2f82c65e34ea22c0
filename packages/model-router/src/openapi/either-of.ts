import type { DocumentObject } from "@servicekit/router";

/**
 * Of several sets of properties, one has to be whole. Programs that make types of schemas read a bare `required` as
 * "anything", and an `anyOf` beside `properties` as an alternative to them: so each choice is an object, inside of `allOf`.
 */
export function eitherOf(choices: readonly (readonly (readonly string[])[])[]): DocumentObject {
  const required = choices.flatMap((ways) => (ways.length === 1 ? (ways[0] ?? []) : []));
  const open = choices.filter((ways) => ways.length > 1);
  return {
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(open.length === 0 ? {} : { allOf: open.map((ways) => ({ anyOf: ways.map(holding) })) }),
  };
}

/** Objects that have these properties, whatever they are: linters ask for a property where it is required. */
export const holding = (names: readonly string[]): DocumentObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required: names,
});
