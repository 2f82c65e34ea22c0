import type { FaultPlace, FieldFault } from "@servicekit/errors";

/** What a validator makes of a value. */
export type Verdict =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly faults: readonly FieldFault[] };

/** Checks one part of a request; asynchronous only where the schema is. */
export type Validator = (value: unknown, place: FaultPlace) => Verdict | Promise<Verdict>;

/** The most faults that one answer lists, so that a small request cannot make a huge answer. */
export const mostFaults = 1000;
