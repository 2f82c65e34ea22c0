/**
 * Finds the known word that a misspelled one most likely means, or `undefined` if none is near. Two transposed letters
 * count as one edit, as does a truncated or extended word (`maximum` for `max`, `uploadDir` for `baseUploadDir`).
 * Letter case and separators are ignored. A word in which every letter would change does not match.
 */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = normalize(word);
  let best: string | undefined;
  let bestSlips = Math.min(Math.max(1, Math.floor(wanted.length / 3)) + 1, wanted.length);
  for (const candidate of known) {
    const given = normalize(candidate);
    const slips = isCut(wanted, given) ? 1 : countFewSlips(wanted, given, bestSlips);
    if (slips < bestSlips) {
      best = candidate;
      bestSlips = slips;
    }
  }
  return best;
}

const normalize = (word: string): string => word.slice(0, 64).toLowerCase().replaceAll(/[-_]/g, "");

/** At its end, or at its start if enough of it remains to identify it. */
function isCut(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (a === b || short.length < 3) return false;
  return long.startsWith(short) || (short.length >= 6 && long.endsWith(short));
}

/** Not computed if the lengths alone differ by `max` or more. */
const countFewSlips = (a: string, b: string, max: number): number =>
  Math.abs(a.length - b.length) >= max ? max : countSlips(a, b);

/** The Damerau-Levenshtein distance, where each position changes at most once. */
function countSlips(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let min = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        min = Math.min(min, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(min);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
