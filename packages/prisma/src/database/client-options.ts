import { isPlainObject } from "@servicekit/core/internal";
import type { Model } from "../models/model.js";
import type { Row } from "../queries/query-args.js";

/**
 * The options of a Prisma client, which no public API of Prisma returns. This file is the only one that reads private
 * fields of a client; without them, Prisma Client runs every query (docs/decisions/0022-options-of-a-prisma-client.md).
 */
interface PrivateFields {
  readonly _activeProvider?: string;
  readonly _engineConfig?: { readonly logQueries?: boolean };
  readonly _globalOmit?: Readonly<Record<string, unknown>>;
  readonly _extensions?: { getAllComputedFields?(model: string): Readonly<Record<string, ResultField>> | undefined };
}

/** The database provider of the client, such as `postgresql`, if it is known. */
export const providerOf = (client: object): string | undefined => (client as PrivateFields)._activeProvider;

/** Whether the client has extensions: such a client has no `$on`. */
export const hasExtensions = (client: object): boolean =>
  typeof (client as { readonly $on?: unknown }).$on !== "function";

/** Whether the client logs its queries, or may do so. */
export function logsQueries(client: object): boolean {
  const { _engineConfig: engine } = client as PrivateFields;
  return engine === undefined || engine.logQueries === true;
}

/** Whether the `omit` option of a Prisma client excludes a field from its rows. */
export function isOmitted(client: object, { delegate }: Model, field: string): boolean {
  const fields = (client as PrivateFields)._globalOmit?.[delegate];
  return isPlainObject(fields) && fields[field] === true;
}

/** A field that `$extends({ result })` adds to the rows of a model. */
export interface ResultField {
  readonly name: string;
  /** The names of the stored fields, also those that other added fields need. */
  readonly needs: readonly string[];
  readonly compute: (row: Row) => unknown;
}

/** The fields that `$extends({ result })` adds to the rows of a model, except those that replace a stored value. */
export function resultFields(client: object, { name, fieldsByName }: Model): readonly ResultField[] {
  const found = (client as PrivateFields)._extensions?.getAllComputedFields?.(name) ?? {};
  const added = Object.entries(found).filter(([field]) => !fieldsByName.has(field));
  return added.map(([field, { needs, compute }]) => ({
    name: field,
    needs,
    compute: (row) => compute(withOthers(row, added)),
  }));
}

/** A row with the other added fields, which one of them may use; each is computed when it is read. */
function withOthers(row: Row, added: readonly (readonly [string, ResultField])[]): Row {
  const complete = { ...row };
  for (const [name, { compute }] of added) {
    Object.defineProperty(complete, name, { get: () => compute(complete), enumerable: false, configurable: true });
  }
  return complete;
}
