/**
 * The known word that a misspelt one most likely means, or `undefined` when none is near. Two letters that changed
 * places count as one slip, a word cut short or drawn out (`maximum` for `max`, `uploadDir` for `baseUploadDir`) too; the
 * case of letters and the marks between words count as none; a word that would change in every letter is no misspelt one.
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

/** At its end, or at its beginning where enough of it is left to tell. */
function isCut(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (a === b || short.length < 3) return false;
  return long.startsWith(short) || (short.length >= 6 && long.endsWith(short));
}

/** Not counted where the lengths alone make it `most` at least. */
const countFewSlips = (a: string, b: string, most: number): number =>
  Math.abs(a.length - b.length) >= most ? most : countSlips(a, b);

/** The distance of Damerau and Levenshtein, each place changed once at the most. */
function countSlips(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
