import { isObject } from "@servicekit/core/internal";
import {
  disabledActionMessage,
  isOpenFor,
  type RelationObject,
  readRelationAction,
  type WriteMode,
} from "./relation-act.js";
import type { RelationAction, WritableRelation } from "./writable-model.js";

/** What a body does with one related row. */
export interface RelationItem {
  readonly act: RelationAction;
  readonly object: RelationObject;
  /** Its index in the list; empty for a relation to one row. */
  readonly at: readonly number[];
}

/** Why a relation, or one row of it, cannot be written so. */
export interface RelationIssue {
  readonly message: string;
  /** Whether the value is of another type than the relation takes. */
  readonly expected?: "array";
  readonly input: unknown;
  readonly at: readonly number[];
}

/**
 * Reads the value of a relation in a body (contract C13). This is the one check of what bodies may do with a relation: the schema
 * of a body applies it to what the client sends, and the plan of a write to what hooks made of it.
 *
 * @returns an entry for each related row, or `null` for a relation without a row
 */
export function readRelation(
  relation: WritableRelation,
  value: unknown,
  mode: WriteMode,
): readonly (RelationItem | RelationIssue)[] | null {
  if (relation.field.isList) {
    if (Array.isArray(value)) return value.map((item: unknown, index) => readItem(relation, item, mode, [index]));
    return [{ message: "Expected a list of objects.", expected: "array", input: value, at: [] }];
  }
  if (value !== null) return [readItem(relation, value, mode, [])];
  if (relation.link.kind !== "belongsTo" && relation.rejected.has("disconnect"))
    return [{ message: disabledActionMessage(relation, "disconnect"), input: value, at: [] }];
  return canBeEmpty(relation) ? null : [{ message: `${relation.name} is required.`, input: value, at: [] }];
}

function readItem(
  relation: WritableRelation,
  input: unknown,
  mode: WriteMode,
  at: readonly number[],
): RelationItem | RelationIssue {
  if (!isObject(input)) return { message: "Expected an object.", input, at };
  const act = readRelationAction(relation, input, mode);
  if (typeof act === "object") return { message: act.issue, input, at };
  return isOpenFor(relation, act)
    ? { act, object: input, at }
    : { message: disabledActionMessage(relation, act), input, at };
}

/** Whether a row does not require this relation. */
export const canBeEmpty = ({ link }: WritableRelation): boolean =>
  link.kind !== "belongsTo" || link.fields.some(({ isRequired }) => !isRequired);
