/** A median with its 95 % confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Estimates the median of samples; the interval comes from their order, so it needs no assumption about the noise. */
export function toEstimate(samples: readonly number[]): Estimate {
  const sorted = [...samples].sort((a, b) => a - b);
  const count = sorted.length;
  const at = (rank: number): number => sorted[Math.min(Math.max(rank, 0), count - 1)] ?? Number.NaN;
  const reach = 1.96 * Math.sqrt(count);
  return {
    median: (at(Math.floor((count - 1) / 2)) + at(Math.ceil((count - 1) / 2))) / 2,
    low: at(Math.floor((count - reach) / 2)),
    high: at(Math.ceil((count + reach) / 2) - 1),
  };
}

/** Half of the interval, relative to the median. */
export const uncertainty = ({ median, low, high }: Estimate): number => (high - low) / 2 / median;
