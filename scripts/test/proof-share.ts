/**
 * The part of the drawn cases that a proof tries: all of them, unless `PROOF_SHARE` says otherwise. A clean checkout is proved
 * with a tenth of them, so that it answers within half an hour.
 */
export const proofShare = Number(process.env.PROOF_SHARE ?? 1);

/** So many of `whole` cases. */
export const drawn = (whole: number): number => Math.ceil(whole * proofShare);

/** Of every so many cases one is tried, where all is every `step`th; odd, so that what alternates is met in both forms. */
export const everyOf = (step: number): number => Math.round(step / proofShare) | 1;
