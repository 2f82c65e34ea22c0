import { nearestWord } from "@servicekit/core/internal";
import type { RelationAct, WritableRelation } from "./writable-model.js";

/** Whether the row that holds the relation is new or is changed. */
export type WriteMode = "create" | "update";

/** The object of a relation in the body of a write. */
export type RelationObject = Readonly<Record<string, unknown>>;

const flags = ["$delete", "$disconnect"] as const;

/** The keys of a relation object that name its row or are its data. */
export const withoutFlags = (object: RelationObject): RelationObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !(flags as readonly string[]).includes(key)));

/**
 * Tells what a relation object asks for, by its keys alone: only an id or unique fields connects; on update an id and
 * more updates; `$delete` and `$disconnect` do that; everything else creates (contract C13).
 *
 * @returns a text that says what is wrong with its marks
 */
export function readAct(
  relation: WritableRelation,
  object: RelationObject,
  mode: WriteMode,
): RelationAct | { readonly fault: string } {
  const given = flags.filter((flag) => Object.hasOwn(object, flag));
  const names = Object.keys(object).filter((name) => !(flags as readonly string[]).includes(name));
  const holds = (key: { readonly fields: readonly { readonly name: string }[] }): boolean =>
    key.fields.every(({ name }) => Object.hasOwn(object, name));
  // No field of a model begins so.
  const unknown = names.find((name) => name.startsWith("$"));
  if (unknown !== undefined) {
    const near = nearestWord(unknown, flags);
    return { fault: `There is no ${unknown} here${near === undefined ? "." : `; did you mean ${near}?`}` };
  }
  const [flag] = given;
  if (flag !== undefined) {
    if (given.length > 1 || object[flag] !== true) return { fault: `${flag} stands alone, and is true.` };
    if (mode === "create") return { fault: `${flag} has nothing to act on in a row that is only made.` };
    const isNamed = relation.keys.some(holds) || (names.length === 0 && !relation.field.isList);
    return isNamed ? (flag === "$delete" ? "delete" : "disconnect") : { fault: `${flag} needs the id of the row.` };
  }
  const { key } = relation.related.model;
  const hasId = key !== undefined && holds(key);
  const isMore = hasId && names.length > key.fields.length;
  if (mode === "update" && isMore && relation.opens === "write") return "update";
  const isUnique = (name: string) => relation.keys.some(({ fields }) => fields.some((field) => field.name === name));
  if (relation.keys.some(holds) && names.every(isUnique)) return "connect";
  return mode === "update" && isMore ? "update" : "create";
}

/** What a client may do with a relation of each openness. */
export const isOpenFor = (relation: WritableRelation, act: RelationAct): boolean =>
  (relation.opens === "write" || act === "connect" || act === "disconnect") && !relation.refused.has(act);

/** Why an act that is not open is not. */
export function closedAct({ name, keys, opens, refused }: WritableRelation, act: RelationAct): string {
  const reason = refused.get(act);
  if (reason !== undefined && (opens === "write" || act === "connect" || act === "disconnect")) {
    return `${name} cannot ${act} rows here: ${reason}.`;
  }
  const ways = keys.map(({ fields }) => fields.map((field) => field.name).join(" and ")).join(", or ");
  return `${name} takes only rows that exist, by ${ways === "" ? "an id" : ways}.`;
}
