import type { Filter } from "@servicekit/prisma/internal";
import type { CallersView } from "./callers-events.js";
import { digest } from "./event-ids.js";

/** Equal as long as the caller has the same rules; the current time in a rule does not matter. */
export const rightsKey = ({ filterKey: key, fields }: CallersView): string =>
  `${fields.join()} ${key.replace(/[+-]?\d{4,6}-\d\d-\d\dT[\d:.]+Z/g, "")}`;

/** What identifies the stream of a view, and its rules. */
export interface StreamDigests {
  readonly stream: Buffer;
  readonly rules: Buffer;
}

/** Creates a function that returns the digests of a view; those of the last view are stored. */
export function makeStreamDigests(): (view: CallersView) => StreamDigests {
  let last: (StreamDigests & { readonly key: string }) | undefined;
  return (view) => {
    const { own, filterKey: key, fields, requestKey, caller } = view;
    const name = [own.model.name, requestKey, fields.join(), caller, key].join("\n");
    if (last?.key !== name)
      last = { key: name, stream: digest(own.model.name, requestKey, rightsKey(view), caller), rules: digest(key) };
    return last;
  };
}

/** Whether a filter reads only the row itself, so that it decides about an earlier state as it did then. */
export function readsOnlyRow(filter: Filter | undefined): boolean {
  switch (filter?.kind) {
    case "all":
    case "any":
      return filter.filters.every(readsOnlyRow);
    case "not":
      return readsOnlyRow(filter.filter);
    case "related":
    case "opaque":
      return false;
    default:
      return true;
  }
}
