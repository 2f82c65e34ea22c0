/** A column that a script drops or adds. */
export interface ChangedColumn {
  readonly name: string;
  /** The type, written in one way; `undefined` if it is unknown. */
  readonly type: string | undefined;
}

/** A dropped column and the one that has its values after a rename. */
export interface ColumnPair {
  readonly from: string;
  readonly to: string;
}

/** The minimum similarity of two names among several columns of a type. */
const minSimilarity = 0.3;

/**
 * Finds the renames among the columns that a script drops and adds in one table: of equal types, by the nearest name. A column
 * with several possible names has none.
 */
export function pairColumns(before: readonly ChangedColumn[], after: readonly ChangedColumn[]): readonly ColumnPair[] {
  const types = new Set(before.flatMap(({ type }) => type ?? []));
  return [...types].flatMap((type) => {
    const namesOf = (columns: readonly ChangedColumn[]) =>
      columns.filter((one) => one.type === type).map(({ name }) => name);
    return pairNames(namesOf(before), namesOf(after));
  });
}

function pairNames(from: readonly string[], to: readonly string[]): readonly ColumnPair[] {
  const [first] = from;
  const [only] = to;
  if (first === undefined || only === undefined) return [];
  if (from.length === 1 && to.length === 1) return [{ from: first, to: only }];
  const pairs = from.flatMap((name): ColumnPair[] => {
    const nearest = nearestOf(name, to);
    return nearest !== undefined && nearestOf(nearest, from) === name ? [{ from: name, to: nearest }] : [];
  });
  if (pairs.length === 0) return [];
  const isOpen = (side: keyof ColumnPair) => (name: string) => !pairs.some((pair) => pair[side] === name);
  return [...pairs, ...pairNames(from.filter(isOpen("from")), to.filter(isOpen("to")))];
}

/** The most similar name; `undefined` if several are equally similar, or none is. */
function nearestOf(name: string, others: readonly string[]): string | undefined {
  const [best, second] = others
    .map((other) => ({ other, similarity: similarityOf(name, other) }))
    .sort((a, b) => b.similarity - a.similarity);
  if (best === undefined || best.similarity < minSimilarity || best.similarity === second?.similarity) return undefined;
  return best.other;
}

/** The share of the pairs of letters that two names have in common, from 0 to 1 (the Sørensen–Dice coefficient). */
function similarityOf(one: string, other: string): number {
  const rest = lettersOf(other);
  const pairs = lettersOf(one);
  const total = pairs.length + rest.length;
  let common = 0;
  for (const pair of pairs) {
    const at = rest.indexOf(pair);
    if (at === -1) continue;
    rest.splice(at, 1);
    common++;
  }
  return total === 0 ? 0 : (2 * common) / total;
}

function lettersOf(name: string): string[] {
  const text = name.toLowerCase().replaceAll(/[\s_-]/g, "");
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}
