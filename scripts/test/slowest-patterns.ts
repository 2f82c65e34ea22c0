import { processorTime } from "./measure.js";

/** The inputs of a reader. */
export interface PatternSearch {
  /** The pieces of the patterns: characters of the grammar of the reader and of others. */
  readonly pieces: readonly string[];
  /** The length of the inputs. */
  readonly size: number;
  /** Reads an input. */
  readonly read: (text: string) => unknown;
}

/** Fills a text with a repeated pattern. */
export const fill = (pattern: string, size: number): string =>
  pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size);

/** Every pattern of one to three pieces. */
function patternsOf(pieces: readonly string[]): readonly string[] {
  const two = pieces.flatMap((first) => pieces.map((second) => first + second));
  return [...new Set([...pieces, ...two, ...two.flatMap((start) => pieces.map((piece) => start + piece))])];
}

/**
 * Finds the patterns of one to three pieces that take the most processor time when an input repeats them: thousands of small
 * inputs include worse ones than a person selects.
 *
 * @param count the number of returned patterns, slowest first
 */
export async function slowestPatterns(search: PatternSearch, count: number): Promise<readonly string[]> {
  const all = await slowest(patternsOf(search.pieces), search, 1);
  // A single measurement also contains what other programs do.
  return (await slowest(all.slice(0, 8 * count), search, 3)).slice(0, count);
}

async function slowest(patterns: readonly string[], { size, read }: PatternSearch, runs: number) {
  const times = new Map<string, number>();
  for (const pattern of patterns) {
    const text = fill(pattern, size);
    times.set(pattern, await processorTime(() => read(text), runs));
  }
  const timeOf = (pattern: string): number => times.get(pattern) ?? 0;
  return patterns.toSorted((one, other) => timeOf(other) - timeOf(one));
}
