import { nearestWord } from "@servicekit/core/internal";
import type { Resource } from "../resource.js";

/** What may stand where a name does. */
export interface WantedNames {
  readonly wants: "field" | "relation" | "either";
  /** What a misspelt name may have meant: what may stand there, and relations that something else asks for. */
  readonly known: readonly string[];
  /** What asks for a relation where only fields may stand. */
  readonly inPlaceOf?: (relation: string) => string;
}

/**
 * Says why a name cannot stand where it does: it is a relation, it is a field, or it is neither. A hidden name is told in the
 * same words as one that does not exist.
 */
export function unknownName(
  name: string,
  { model, relations, fields }: Resource,
  { wants, known, inPlaceOf = (relation) => relation }: WantedNames,
): string {
  const [first = ""] = name.split(".");
  if (wants === "field" && relations.has(first)) {
    const what = `${first} is a relation of ${model.name}`;
    return known.includes(first) ? `${what}; did you mean ${inPlaceOf(first)}?` : `${what}, not a field.`;
  }
  if (wants === "relation" && fields.has(first)) return `${first} is a field of ${model.name}, not a relation.`;
  if (relations.has(first) || fields.has(first)) return `${first} of ${model.name} is not shown here.`;
  const near = nearestWord(name, known);
  const meant = near !== undefined && relations.has(near) ? inPlaceOf(near) : near;
  return `${model.name} has no field ${name}${meant === undefined ? "." : `; did you mean ${meant}?`}`;
}
