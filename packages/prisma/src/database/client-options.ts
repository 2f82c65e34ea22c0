import { isPlainObject } from "@servicekit/core/internal";
import type { Model } from "../model.js";

/**
 * The options of a Prisma client, which no public API of Prisma returns. This file is the only one that reads private
 * fields of a client; without them, Prisma Client runs every query (docs/decisions/0022-options-of-a-prisma-client.md).
 */
interface PrivateFields {
  readonly _engineConfig?: { readonly logQueries?: boolean };
  readonly _globalOmit?: Readonly<Record<string, unknown>>;
  readonly _extensions?: { getAllComputedFields?(model: string): object | undefined };
}

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

/** The fields that `$extends({ result })` adds to the rows of a model. */
export function computedFields(client: object, { name, fieldsByName }: Model): readonly string[] {
  const fields = (client as PrivateFields)._extensions?.getAllComputedFields?.(name) ?? {};
  return Object.keys(fields).filter((field) => !fieldsByName.has(field));
}
