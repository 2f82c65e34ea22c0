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
 * Sends the same queries to the API (at `url`, without the models' paths) and to Prisma; a difference fails the test
 * with the seed that reproduces it.
 *
 * @param computed the names of computed fields, which Prisma does not return
 * @returns the number of compared responses
 */
export async function compareList(
  url: string,
  list: RandomList,
  computed: ReadonlySet<string> = new Set(),
): Promise<number> {
  const { path, limit, page, seed, wantsTotal } = list;
  const get = async (target: string): Promise<{ status: number; body: ListBody }> => {
    const response = await fetch(url + target);
    const text = await response.text();
    const body = JSON.parse(text, (name, value) => (computed.has(name) ? undefined : value)) as ListBody;
    return { status: response.status, body };
  };
  const about = `seed ${seed}: GET ${decodeURIComponent(path)}`;
  const [expected, { status, body }] = await Promise.all([list.call(), get(path)]);
  // Rejected by a limit of rows to read, which only nested lists reach.
  const isTooMuch = (reply: { status: number; body: ListBody }): boolean =>
    reply.status === 400 &&
    reply.body.errors?.every(({ code }) => code === "TooManyRows") === true &&
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
  let pages = 1;
  for (; next && pages < cursorPages; pages++) {
    const target = path.replace(/([?&])cursor=/, `$1cursor=${encodeURIComponent(next)}`);
    const reply = await get(target);
    if (isTooMuch(reply)) {
      expect(rows, about).toEqual(expected.rows.slice(0, rows.length));
      return pages;
    }
    if (reply.status !== 200) expect.fail(`${about}\nthen ${reply.status}: ${JSON.stringify(reply.body)}`);
    rows.push(...reply.body.data);
    next = reply.body.meta.nextCursor;
  }
  expect(rows, about).toEqual(expected.rows);
  expect(Boolean(next), `${about}: is there another page`).toBe(expected.total > pages * limit);
  return pages;
}

interface CompareOptions {
  readonly seed: number;
  readonly runs: number;
  /** The names of computed fields, which Prisma does not return. */
  readonly computed?: ReadonlySet<string>;
  readonly immediately?: number;
}

/** Compares the given number of random lists, some concurrently. */
export async function compareLists(
  url: string,
  makeList: (seed: number) => RandomList,
  { seed, runs, computed, immediately = 4 }: CompareOptions,
): Promise<number> {
  let next = seed;
  let compared = 0;
  const work = async () => {
    while (next < seed + runs) {
      const responses = await compareList(url, makeList(next++), computed);
      compared += responses;
    }
  };
  await Promise.all(Array.from({ length: immediately }, work));
  return compared;
}
