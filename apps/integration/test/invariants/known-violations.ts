/** A violation that is not fixed yet. */
interface KnownViolation {
  readonly invariant: string;
  readonly pattern: RegExp;
  readonly reason: string;
}

export const knownViolations: readonly KnownViolation[] = [];

export const isKnown = (invariant: string, violation: string): boolean =>
  knownViolations.some((known) => known.invariant === invariant && known.pattern.test(violation));
