import type { Violation } from "./check-cases.js";

/** A violation that is not fixed yet. */
interface KnownViolation {
  readonly invariant: string;
  readonly kind: string;
  readonly pattern: RegExp;
  readonly reason: string;
}

export const knownViolations: readonly KnownViolation[] = [
  {
    invariant: "streams",
    kind: "ids of events",
    pattern: /./,
    reason: "The id of an event is that of the change in the log of all rows, so it counts the writes of others.",
  },
];

export const isKnown = (invariant: string, { kind, detail }: Violation): boolean =>
  knownViolations.some((entry) => entry.invariant === invariant && entry.kind === kind && entry.pattern.test(detail));
