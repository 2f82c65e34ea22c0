import { stringify } from "yaml";

/** A document as YAML. */
export const toYaml = (document: object): string => [...yamlPieces(document)].join("");

/** The same text in pieces, each of which takes a few milliseconds. */
export function* yamlPieces(document: object, depth = 0): Generator<string> {
  const indent = "  ".repeat(depth);
  for (const [key, value] of Object.entries(document)) {
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
    if (isMap && depth < 2 && (depth > 0 || key === "paths" || key === "components")) {
      yield `${indent}${stringify({ [key]: null }).replace(/ null\n$/, "\n")}`;
      yield* yamlPieces(value, depth + 1);
    } else {
      yield stringify({ [key]: value }, { aliasDuplicateObjects: false }).replace(/^(?=.)/gm, indent);
    }
  }
}
