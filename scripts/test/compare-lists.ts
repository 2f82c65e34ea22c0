import { expect } from "vitest";
import { cursorPages, type RandomList } from "./random-lists.js";

interface ListBody {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly meta: {
    readonly total?: number;
    readonly count: number;
    readonly limit: number;
    readonly page?: number;
    readonly pages?: number;
    readonly nextCursor?: string | null;
  };
  readonly errors?: readonly { readonly code: string }[];
}

/**
 * Asks the API (at `url`, which ends before the models' paths) and Prisma the same; a difference fails the test with the
 * seed that makes it again.
 *
 * @returns how many answers were compared
 */
export async function compareList(url: string, list: RandomList): Promise<number> {
  const { path, limit, page, seed, wantsTotal } = list;
  const get = async (target: string): Promise<{ status: number; body: ListBody }> => {
    const response = await fetch(url + target);
    return { status: response.status, body: (await response.json()) as ListBody };
  };
  const about = `seed ${seed}: GET ${decodeURIComponent(path)}`;
  const [expected, { status, body }] = await Promise.all([list.ask(), get(path)]);
  // Refused by a bound on what would be read, which only lists within lists reach.
  const isTooMuch = (answer: { status: number; body: ListBody }): boolean =>
    answer.status === 400 &&
    answer.body.errors?.every(({ code }) => code === "TooManyRows") === true &&
    /[?&]include=[^&]*\./.test(path);
  if (isTooMuch({ status, body })) return 0;
  if (status !== 200) expect.fail(`${about}\nanswered ${status}: ${JSON.stringify(body)}`);
  expect(body.meta.total, about).toBe(wantsTotal ? expected.total : undefined);
  if (page !== undefined) {
    expect(body.data, about).toEqual(expected.rows);
    expect(body.meta, about).toMatchObject({ count: expected.rows.length, limit, page });
    if (wantsTotal) expect(body.meta.pages, about).toBe(Math.ceil(expected.total / limit));
    return 1;
  }
  const rows = [...body.data];
  let next = body.meta.nextCursor;
  let asked = 1;
  for (; next && asked < cursorPages; asked++) {
    const target = path.replace(/([?&])cursor=/, `$1cursor=${encodeURIComponent(next)}`);
    const answer = await get(target);
    if (isTooMuch(answer)) {
      expect(rows, about).toEqual(expected.rows.slice(0, rows.length));
      return asked;
    }
    if (answer.status !== 200) expect.fail(`${about}\nthen ${answer.status}: ${JSON.stringify(answer.body)}`);
    rows.push(...answer.body.data);
    next = answer.body.meta.nextCursor;
  }
  expect(rows, about).toEqual(expected.rows);
  expect(Boolean(next), `${about}: is there another page`).toBe(expected.total > asked * limit);
  return asked;
}

/** Compares as many random lists as asked for, some at once. */
export async function compareLists(
  url: string,
  makeList: (seed: number) => RandomList,
  { seed, runs, atOnce = 4 }: { readonly seed: number; readonly runs: number; readonly atOnce?: number },
): Promise<number> {
  let next = seed;
  let compared = 0;
  const work = async () => {
    while (next < seed + runs) {
      const answers = await compareList(url, makeList(next++));
      compared += answers;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return compared;
}
