import type { HttpError } from "@servicekit/core";
import type { Database, StoredField } from "@servicekit/prisma";
import { capabilitiesOf, hasDate, toWhere } from "@servicekit/prisma/internal";
import { QueryIssues } from "../resource/filter/query-issues.js";
import { type CursorKeys, rowWithValue } from "../resource/query/cursor.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";

/**
 * Finds a field by which a row is sorted and whose stored value was read as `null`, because its type does not have the value
 * (contract C113, C119), or is a date that the database does not compare as one. The rows after this one are unknown then.
 *
 * @returns `undefined` if all values were read
 */
export async function unreadField(
  keys: CursorKeys,
  row: Row,
  resource: Resource,
  database: Pick<Database, "of">,
): Promise<StoredField | undefined> {
  const { model } = resource;
  if (capabilitiesOf(model.provider).readsEveryValue) return undefined;
  const incomparable = keys.map(({ field }) => field).find((field) => isOutside(field, row[field.name]));
  if (incomparable !== undefined) return incomparable;
  const empty = keys.map(({ field }) => field).filter(({ name }) => row[name] === null);
  const required = empty.find(({ isRequired }) => isRequired);
  if (empty.length === 0 || required !== undefined) return required;
  const where = toWhere(rowWithValue(empty, row, resource), model);
  return (await database.of(model).count({ where })) === 0 ? undefined : empty[0];
}

/** Whether a value is a date that the database does not compare as one. */
const isOutside = (field: StoredField, value: unknown): boolean => value instanceof Date && !hasDate(field, value);

/** The error of an order in which the rows after one of them are unknown. */
export function unreadError({ name }: StoredField): HttpError {
  const issues = new QueryIssues();
  const reason = `A row has a value in ${name} that its type does not have, so the rows after it are unknown.`;
  issues.add("sort", "InvalidValue", `${reason} Use another sort.`);
  return issues.toError();
}
