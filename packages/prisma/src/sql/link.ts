import { isStored } from "../models/is-stored.js";
import { type Model, type RelationField, type StoredField } from "../models/model.js";
import { quoteName } from "../models/quote-name.js";
import { giveUp } from "./not-foldable.js";
import { openScope, type Scope, type Statement } from "./statement.js";

/** How the rows of two tables are related. */
export type Link =
  | {
      readonly kind: "key";
      readonly target: Model;
      /** Pairs of columns: here and there. */
      readonly pairs: readonly (readonly [here: StoredField, there: StoredField])[];
      /** Whether the foreign key is on this side. */
      readonly isOwn: boolean;
    }
  | {
      readonly kind: "table";
      readonly target: Model;
      readonly relation: string;
      readonly here: StoredField;
      readonly there: StoredField;
      readonly hereColumn: "A" | "B";
      readonly thereColumn: "A" | "B";
    };

/** Reads how a relation is stored. */
export function linkOf(statement: Statement, model: Model, field: RelationField): Link {
  const target = statement.models.get(field.type) ?? giveUp();
  const { fields, references, opposite: name } = field.relation;
  if (fields.length > 0) return { kind: "key", target, pairs: pairsOf(model, fields, target, references), isOwn: true };
  const opposite = target.fieldsByName.get(name ?? "");
  if (opposite?.kind !== "relation") return giveUp();
  const back = opposite.relation;
  if (back.fields.length > 0) {
    return { kind: "key", target, pairs: pairsOf(model, back.references, target, back.fields), isOwn: false };
  }
  if (!field.isList || !opposite.isList || model.schema !== undefined || target.schema !== undefined) return giveUp();
  // The models do not contain which side of a self-relation is A.
  if (model.name === target.name) return giveUp();
  const isFirst = model.name < target.name;
  return {
    kind: "table",
    target,
    relation: field.relation.name,
    here: onlyId(model),
    there: onlyId(target),
    hereColumn: isFirst ? "A" : "B",
    thereColumn: isFirst ? "B" : "A",
  };
}

/** Joins the row of a to-one relation. */
export function joinOne(scope: Scope, field: RelationField, link: Link): Scope {
  // A view has no guaranteed key, and its rows would multiply those that they are joined to.
  if (link.kind !== "key" || link.target.isView) return giveUp();
  const path = `${scope.alias}.${field.name}`;
  const known = scope.joins.joined.get(path);
  if (known !== undefined) return known;
  const inner = openScope(scope.statement, link.target, scope.joins);
  scope.joins.sql += ` LEFT JOIN ${scope.statement.rows(link.target)} AS ${inner.alias} ON ${linked(scope, inner, link)}`;
  scope.joins.joined.set(path, inner);
  return inner;
}

/** Opens the rows of a relation, and returns the condition that they belong to the outer row. */
export function openMany(scope: Scope, link: Link): { inner: Scope; condition: string } {
  const inner = openScope(scope.statement, link.target);
  if (link.kind === "key") return { inner, condition: linked(scope, inner, link) };
  const pairs = scope.statement.alias();
  const { here, there, hereColumn, thereColumn } = link;
  inner.joins.sql = ` INNER JOIN ${scope.statement.pairs(link.relation)} AS ${pairs} ON ${columnIn(inner.alias, there)} = ${pairs}."${thereColumn}"`;
  return { inner, condition: `${columnIn(scope.alias, here)} = ${pairs}."${hereColumn}"` };
}

const linked = (outer: Scope, inner: Scope, link: Link & { kind: "key" }): string =>
  link.pairs.map(([here, there]) => `${columnIn(outer.alias, here)} = ${columnIn(inner.alias, there)}`).join(" AND ");

/** A column with its table. */
export const columnIn = (alias: string, { column }: StoredField): string => `${alias}.${quoteName(column)}`;

function pairsOf(
  model: Model,
  names: readonly string[],
  target: Model,
  there: readonly string[],
): readonly (readonly [StoredField, StoredField])[] {
  return names.map((name, index) => [stored(model, name), stored(target, there[index] ?? "")]);
}

function stored(model: Model, name: string): StoredField {
  const field = model.fieldsByName.get(name);
  return isStored(field) ? field : giveUp();
}

function onlyId(model: Model): StoredField {
  const [field, ...more] = model.uniqueKeys[0]?.fields ?? [];
  return field?.isId === true && more.length === 0 ? field : giveUp();
}
