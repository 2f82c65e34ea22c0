import type { Models } from "@servicekit/prisma";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import { readFixture } from "./fixtures.js";
import { isKnown } from "./known-violations.js";
import { caseNumbers, drawOf, seed } from "./seeds.js";
import { type Shrinkable, shrink } from "./shrink.js";

/** An invariant over combinations of features. */
export interface Invariant<Case extends Shrinkable> {
  readonly name: string;
  /** The lists of a case that shrinking shortens, those that matter least first. */
  readonly lists: readonly (keyof Case)[];
  draw(draw: Draw, provider: TestedProvider, models: Models): Case;
  /** Runs a case. @returns the violations of the invariant */
  check(one: Case, count: (name: string) => void): Promise<readonly Violation[]>;
}

/** How a case violates an invariant. */
export interface Violation {
  /** Shrinking retains it. */
  readonly kind: string;
  readonly detail: string;
}

/** How often what was counted has happened in all cases. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Checks an invariant with drawn cases.
 *
 * @param maxMs the time after which no further case begins, in milliseconds
 * @throws {Error} with the seed and the shrunk case, if a case violates it
 */
export async function checkCases<Case extends Shrinkable>(
  invariant: Invariant<Case>,
  provider: TestedProvider,
  total: number,
  maxMs = Infinity,
): Promise<Counts> {
  const end = performance.now() + maxMs;
  const { models } = await readFixture(provider);
  const counts: Record<string, number> = {};
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const violations: string[] = [];
  for (const number of caseNumbers(total)) {
    const one = invariant.draw(drawOf(`${invariant.name} ${provider}`, number), provider, models);
    const check = async (candidate: Case, counter: typeof count): Promise<readonly Violation[]> =>
      (await invariant.check(candidate, counter)).filter((violation) => !isKnown(invariant.name, violation));
    const [violation] = await check(one, count);
    if (violation === undefined && performance.now() < end) continue;
    if (violation === undefined) break;
    let { detail } = violation;
    const shrunk = await shrink(one, invariant.lists, async (smaller) => {
      const same = (await check(smaller, () => undefined)).find(({ kind }) => kind === violation.kind);
      detail = same?.detail ?? detail;
      return same !== undefined;
    });
    violations.push(
      [
        `${invariant.name} on ${provider}, ${violation.kind}: ${detail}`,
        `Repeat it with TEST_SEED=${seed}/${number}`,
        print(shrunk),
        // Again at the end, because the case is long.
        `${invariant.name} on ${provider}, ${violation.kind}, with TEST_SEED=${seed}/${number}`,
      ].join("\n"),
    );
    console.log(violations.at(-1));
    if (violations.length >= maxViolations) break;
  }
  console.log(`${invariant.name} on ${provider}, seed ${seed}: ${JSON.stringify(counts)}`);
  if (violations.length > 0) throw new Error(violations.join("\n\n"));
  return counts;
}

/** Similar cases often violate an invariant in the same way. */
const maxViolations = Number(process.env.TEST_VIOLATIONS ?? 1);

/** A case with one line for each part. */
function print(one: Shrinkable): string {
  const { setup, ...lists } = one;
  const lines = (name: string, items: readonly unknown[]) => items.map((item) => `  ${name}: ${JSON.stringify(item)}`);
  return [
    ...lines("feature", setup.features),
    ...lines("row", setup.rows),
    ...Object.entries(lists).flatMap(([name, items]) => lines(name, [items].flat())),
  ].join("\n");
}
