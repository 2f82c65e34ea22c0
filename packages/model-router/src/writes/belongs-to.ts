import { httpErrors } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { toJsonValue } from "@servicekit/prisma/internal";
import { canBeEmpty } from "../resource/body/read-relation.js";
import type { RelationLink } from "../resource/body/writable-model.js";
import type { Row } from "../resource/values/to-json.js";
import { atPlace } from "./at-place.js";
import { checkReadable, findRelated, missing, required } from "./check-relations.js";
import type { PlannedAction, PlannedLink } from "./plan-row.js";
import { createRelated, updateRelated } from "./related-row.js";
import { type Afterwards, pick, relatedModel, rowKey, type WriteScope } from "./write-scope.js";

type BelongsToLink = RelationLink & { readonly kind: "belongsTo" };

/**
 * Executes a relation that is stored in foreign keys of the row, and adds these keys to the row's data.
 *
 * @param current the existing row; `undefined` for a new one
 * @param afterwards receives work that must wait until the row no longer references it
 */
export async function writeBelongsTo(
  planned: PlannedLink,
  data: Record<string, unknown>,
  current: Row | undefined,
  scope: WriteScope,
  afterwards: Afterwards[],
): Promise<void> {
  const { link } = planned.relation;
  if (link.kind !== "belongsTo") return;
  const keys = await keysOf(planned, link, current, scope, afterwards);
  for (const [name, value] of Object.entries(keys)) {
    if (Object.hasOwn(data, name) && !isSame(data[name], value)) throw conflict(planned, name);
    data[name] = value;
  }
}

/** The foreign keys after the action; none if they do not change. */
async function keysOf(
  planned: PlannedLink,
  link: BelongsToLink,
  current: Row | undefined,
  scope: WriteScope,
  afterwards: Afterwards[],
): Promise<Row> {
  const { relation, acts } = planned;
  const [act] = acts ?? [];
  if (act === undefined) return emptyKeys(planned, link);
  const { at } = act;
  switch (act.act) {
    case "connect": {
      const isReference = Object.keys(act.where).length === link.references.length;
      const isReported = isReference && link.references.every((name) => Object.hasOwn(act.where, name));
      // The foreign key constraint itself checks whether the row exists.
      if (isReported && (await scope.readable(relation.related.model.name)) === true) return toKeys(link, act.where);
      return toKeys(link, await findRelated(relation, [act.where], scope, at));
    }
    case "create": {
      const related = await createRelated(act.row, scope);
      await checkReadable(relatedModel(relation, scope), related, at, scope);
      return toKeys(link, related);
    }
    default: {
      const related = await findCurrent(planned, link, act, current, scope);
      const key = rowKey(relatedModel(relation, scope), related);
      if (act.act === "update") {
        await updateRelated(act.row, key, scope);
        return {};
      }
      if (act.act === "delete") {
        const { database, deletions } = scope;
        afterwards.push(() => atPlace(at, () => deletions.deleteOne(database, relation.related.model, key)));
      }
      return emptyKeys(planned, link);
    }
  }
}

/** The currently referenced row, if it is the intended one. */
async function findCurrent(
  { relation, at }: PlannedLink,
  link: BelongsToLink,
  { act, where }: PlannedAction & { readonly where: Row },
  current: Row | undefined,
  scope: WriteScope,
): Promise<Row> {
  const values = link.fields.map(({ name }) => current?.[name] ?? null);
  if (values.includes(null)) throw missing(at);
  const isCurrent = Object.fromEntries(link.references.map((name, index) => [name, values[index]]));
  const operation = act === "update" ? "updateOne" : act === "delete" ? "deleteOne" : undefined;
  return findRelated(relation, [where, isCurrent], scope, at, operation);
}

const toKeys = ({ fields, references }: BelongsToLink, related: Row): Row => {
  const values = pick(related, references);
  return Object.fromEntries(fields.map(({ name }, index) => [name, values[references[index] ?? ""]]));
};

function emptyKeys({ relation, at }: PlannedLink, { fields }: BelongsToLink): Row {
  if (!canBeEmpty(relation)) throw required(at);
  return Object.fromEntries(fields.filter(({ isRequired }) => !isRequired).map(({ name }) => [name, null]));
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(toJsonValue(one)) === JSON.stringify(toJsonValue(other));

function conflict({ relation, at }: PlannedLink, key: string) {
  const message = `${relation.name} and ${key} contradict each other.`;
  return httpErrors.ValidationError(undefined, {
    errors: [{ in: "body", path: toJsonPointer(at), code: "InvalidValue", message }],
  });
}
