import { nearestWord } from "@servicekit/core/internal";
import type { RelationAction, WritableRelation } from "./writable-model.js";

/** Whether the row with the relation is new or updated. */
export type WriteMode = "create" | "update";

/** The object of a relation in the body of a write. */
export type RelationObject = Readonly<Record<string, unknown>>;

const flags = ["$delete", "$disconnect"] as const;

/** The keys of a relation object that identify its row or are its data. */
export const withoutFlags = (object: RelationObject): RelationObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !(flags as readonly string[]).includes(key)));

/**
 * Determines the action of a relation object by its keys: only an id or unique fields connects; on update an id and
 * more updates; `$delete` and `$disconnect` do that; everything else creates (contract C13).
 *
 * @returns a message if its instructions are invalid
 */
export function readRelationAction(
  relation: WritableRelation,
  object: RelationObject,
  mode: WriteMode,
): RelationAction | { readonly issue: string } {
  const given = flags.filter((flag) => Object.hasOwn(object, flag));
  const names = Object.keys(object).filter((name) => !(flags as readonly string[]).includes(name));
  const holds = (key: { readonly fields: readonly { readonly name: string }[] }): boolean =>
    key.fields.every(({ name }) => Object.hasOwn(object, name));
  // No field of a model starts with it.
  const unknown = names.find((name) => name.startsWith("$"));
  if (unknown !== undefined) {
    const near = nearestWord(unknown, flags);
    return { issue: `Unknown ${unknown}${near === undefined ? "." : `. Did you mean ${near}?`}` };
  }
  const [flag] = given;
  if (flag !== undefined) {
    if (given.length > 1 || object[flag] !== true)
      return { issue: `${flag} must be true and cannot be combined with other keys.` };
    if (mode === "create") return { issue: `${flag} is not possible in a new row.` };
    const isNamed = relation.keys.some(holds) || (names.length === 0 && !relation.field.isList);
    return isNamed ? (flag === "$delete" ? "delete" : "disconnect") : { issue: `${flag} requires the id of the row.` };
  }
  const { key } = relation.related.model;
  const hasId = key !== undefined && holds(key);
  const isMore = hasId && names.length > key.fields.length;
  if (mode === "update" && isMore && relation.opens === "write") return "update";
  const isUnique = (name: string) => relation.keys.some(({ fields }) => fields.some((field) => field.name === name));
  if (relation.keys.some(holds) && names.every(isUnique)) return "connect";
  return mode === "update" && isMore ? "update" : "create";
}

/** The possible actions for a relation of each openness. */
export const isOpenFor = (relation: WritableRelation, act: RelationAction): boolean =>
  (relation.opens === "write" || act === "connect" || act === "disconnect") && !relation.rejected.has(act);

/** Why an action is not allowed. */
export function disabledActionMessage({ name, keys, opens, rejected }: WritableRelation, act: RelationAction): string {
  const reason = rejected.get(act);
  if (reason !== undefined && (opens === "write" || act === "connect" || act === "disconnect")) {
    return `${name} cannot ${act} rows here: ${reason}.`;
  }
  const ways = keys.map(({ fields }) => fields.map((field) => field.name).join(" and ")).join(", or ");
  return `${name} only accepts existing rows, by ${ways === "" ? "an id" : ways}.`;
}
