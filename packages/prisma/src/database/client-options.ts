import { isPlainObject } from "@servicekit/core/internal";
import type { Model } from "../model.js";

/** Whether the `omit` option of a Prisma client excludes a field from its rows. */
export function isOmitted(client: object, { delegate }: Model, field: string): boolean {
  const { _globalOmit: omit } = client as { readonly _globalOmit?: Readonly<Record<string, unknown>> };
  const fields = omit?.[delegate];
  return isPlainObject(fields) && fields[field] === true;
}

/** The fields that `$extends({ result })` adds to the rows of a model. */
export function computedFields(client: object, { name, fieldsByName }: Model): readonly string[] {
  const { _extensions: extensions } = client as {
    readonly _extensions?: { getAllComputedFields?(model: string): object | undefined };
  };
  return Object.keys(extensions?.getAllComputedFields?.(name) ?? {}).filter((field) => !fieldsByName.has(field));
}
