import type { IncomingMessage } from "node:http";

const dryRun = Symbol("servicekit.dryRun");

/**
 * Whether the writes of a request are rolled back (contract C104), for hooks with effects outside the database: the hooks
 * before a create run in a dry run, those after it do not.
 */
export const isDryRun = (request: IncomingMessage): boolean =>
  (request as IncomingMessage & { readonly [dryRun]?: true })[dryRun] === true;

/** Marks a request as a dry run. */
export function setDryRun(request: IncomingMessage): void {
  Object.defineProperty(request, dryRun, { value: true });
}
