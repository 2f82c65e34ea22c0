import { randomInt } from "node:crypto";

/**
 * The part of the drawn cases that a proof tries: all of them, unless `PROOF_SHARE` says otherwise. A clean checkout is proved
 * with a tenth of them, so that it answers within half an hour.
 */
export const proofShare = Number(process.env.PROOF_SHARE ?? 1);

/** So many of `whole` cases. */
export const drawn = (whole: number): number => Math.ceil(whole * proofShare);

/** Of what can be tried, so many, drawn anew in each run, in their order. */
export function someOf<T>(whole: readonly T[]): readonly T[] {
  const left = whole.map((_, index) => index);
  const taken = new Set(Array.from({ length: drawn(whole.length) }, () => left.splice(randomInt(left.length), 1)[0]));
  return whole.filter((_, index) => taken.has(index));
}

/** Of every so many cases one is tried, where all is every `step`th; odd, so that what alternates is met in both forms. */
export const everyOf = (step: number): number => Math.round(step / proofShare) | 1;
