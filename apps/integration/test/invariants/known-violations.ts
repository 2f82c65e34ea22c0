import type { Violation } from "./check-cases.js";

/** A violation that is not fixed yet. */
interface KnownViolation {
  readonly invariant: string;
  readonly kind: string;
  readonly pattern: RegExp;
  readonly reason: string;
}

export const knownViolations: readonly KnownViolation[] = [];

export const isKnown = (invariant: string, { kind, detail }: Violation): boolean =>
  knownViolations.some((entry) => entry.invariant === invariant && entry.kind === kind && entry.pattern.test(detail));
