import { type FaultPlace, type FieldFault, maxErrors } from "@servicekit/errors";

/** What a validator makes of a value. */
export type Verdict =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly faults: readonly FieldFault[] };

/** Checks one part of a request; asynchronous only where the schema is. */
export type Validator = (value: unknown, place: FaultPlace) => Verdict | Promise<Verdict>;

/** One more than a response lists, so that it reports that there are more. */
export const mostFaults = maxErrors + 1;
