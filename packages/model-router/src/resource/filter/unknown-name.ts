import { nearestWord } from "@servicekit/core/internal";
import type { Resource } from "../resource.js";

/** The names that are allowed at a place. */
export interface WantedNames {
  readonly wants: "field" | "relation" | "either";
  /** The names for suggestions: those allowed at the place, and relations for other parameters. */
  readonly known: readonly string[];
  /** A parameter for relations where only fields are allowed. */
  readonly inPlaceOf?: (relation: string) => string;
  /** Whether computed fields are allowed. */
  readonly takesComputed?: boolean;
}

/**
 * Explains why a name is not allowed: it is a relation, a field, or unknown. A hidden name has the same message as an
 * unknown one.
 */
export function unknownName(
  name: string,
  { model, relations, fields, computed }: Resource,
  { wants, known, inPlaceOf = (relation) => relation, takesComputed = false }: WantedNames,
): string {
  const [first = ""] = name.split(".");
  if (first === "") return `One of the names is empty: ${JSON.stringify(name)}.`;
  if (wants === "field" && relations.has(first)) {
    const what = `${first} is a relation of ${model.name}`;
    return known.includes(first) ? `${what}. Did you mean ${inPlaceOf(first)}?` : `${what}, not a field.`;
  }
  if (wants === "relation" && (fields.has(first) || computed.has(first)))
    return `${first} is a field of ${model.name}, not a relation.`;
  if (computed.has(first) && !takesComputed)
    return `${first} of ${model.name} is a computed field, which cannot be used ${computed.get(first)?.comparable === undefined ? "in filters, orders or aggregates" : "here"}.`;
  if (relations.has(first) || fields.has(first) || computed.has(first))
    return `${first} of ${model.name} is not shown here.`;
  const near = nearestWord(name, known);
  const meant = near !== undefined && relations.has(near) ? inPlaceOf(near) : near;
  return `${model.name} has no field ${name}${meant === undefined ? "." : `. Did you mean ${meant}?`}`;
}
