import { HttpError } from "@servicekit/core";
import type { Model } from "@servicekit/prisma";
import type { Filter, FilteredStates, MatchStates } from "@servicekit/prisma/internal";
import { afterEach, expect, it, vi } from "vitest";
import { makeMatchOne, maxSharedCost } from "./match-together.js";

afterEach(() => {
  vi.useRealTimers();
});

const model = { name: "Order" } as Model;

const id = { kind: "scalar", name: "id", type: "Int" } as never;
const condition = (n: number): Filter => ({ kind: "condition", field: id, operator: "equals", operand: n }) as Filter;
/** A filter of any cost. */
const filterOf = (n: number, cost: number): Filter => ({
  kind: "all",
  filters: Array.from({ length: cost }, () => condition(n)),
});

/** Matches filters whose `where` contains their number. */
function makeMatcher(each: MatchStates["each"], concurrent = 1) {
  const matchOne = makeMatchOne({ each }, concurrent);
  return (n: number, { client = "", cost = 1 } = {}) =>
    matchOne(model, { states: [{ id: n }], filter: filterOf(n, cost), where: { n }, key: `${n}` }, client);
}

/** Queries that end when `next` is called. */
function makeQueries(
  answer: (filters: readonly FilteredStates[]) => readonly (readonly boolean[])[] = (filters) =>
    filters.map(() => [true]),
) {
  const queries: (readonly unknown[])[] = [];
  const running: { readonly name: string; readonly end: () => void }[] = [];
  const each: MatchStates["each"] = (_model, filters) => {
    queries.push(numbersOf(filters));
    return new Promise((resolve, reject) => {
      running.push({
        name: String(numbersOf(filters)),
        end: () => {
          try {
            resolve(answer(filters));
          } catch (error) {
            reject(error);
          }
        },
      });
    });
  };
  /** Ends the oldest query, or one by its filters, and waits until the next one has begun. */
  const next = async (name = running[0]?.name): Promise<void> => {
    const [query] = running.splice(
      Math.max(
        0,
        running.findIndex((one) => one.name === name),
      ),
      1,
    );
    query?.end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { each, queries, next };
}

const numbersOf = (filters: readonly FilteredStates[]): readonly unknown[] => filters.map(({ where }) => where.n);

it("C111 compares states with the filters that wait in one query, in groups of few sizes", async () => {
  const { each, queries, next } = makeQueries((filters) => filters.map(({ where }) => [Number(where.n) % 2 === 0]));
  const match = makeMatcher(each);
  const matches = Array.from({ length: 40 }, (_, n) => match(n));
  for (let count = 0; count < 5; count++) await next();
  expect(await Promise.all(matches)).toEqual(matches.map((_, n) => [n % 2 === 0]));
  expect(queries.map(({ length }) => length)).toEqual([1, 32, 4, 2, 1]);
  expect(queries.flat()).toEqual(matches.map((_, n) => n));
});

it("C111 an error of a query concerns only the filters of its group", async () => {
  const { each, next } = makeQueries((filters) => {
    if (filters.length > 1) throw new Error("no connection");
    return filters.map(() => [true]);
  });
  const match = makeMatcher(each);
  const outcomes = Promise.allSettled([match(1), match(2), match(3)]);
  for (let count = 0; count < 3; count++) await next();
  expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

it("C132 repeats the filters of a query that took too long alone: only the slow one fails", async () => {
  const timeout = new HttpError(504, "DatabaseTimeout", "too long");
  const { each, queries, next } = makeQueries((filters) => {
    if (filters.some(({ where }) => where.n === 3)) throw timeout;
    return filters.map(() => [true]);
  });
  const match = makeMatcher(each);
  const outcomes = Promise.allSettled([0, 1, 2, 3, 4].map((n) => match(n, { client: `${n}` })));
  for (let count = 0; count < 7; count++) await next();
  expect((await outcomes).map(({ status }) => status)).toEqual([
    ...["fulfilled", "fulfilled", "fulfilled", "rejected", "fulfilled"],
  ]);
  expect(queries).toEqual([[0], [1, 2, 3, 4], [1], [2], [3], [4]]);
});

it("C132 expensive filters have queries of their own, alternate between clients and leave half of them to cheap ones", async () => {
  const { each, queries, next } = makeQueries();
  const match = makeMatcher(each, 2);
  const matches = [1, 2, 3].map((n) => match(n, { client: "many", cost: maxSharedCost + 1 }));
  matches.push(match(4, { client: "other", cost: maxSharedCost + 1 }), match(5, { client: "root" }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(queries).toEqual([[1], [5]]);
  for (let count = 0; count < 6; count++) await next();
  await Promise.all(matches);
  expect(queries).toEqual([[1], [5], [2], [4], [3]]);
});

it("C132 the filters of one query are alternately those of each client", async () => {
  const { each, queries, next } = makeQueries();
  const match = makeMatcher(each);
  const matches = Array.from({ length: 40 }, (_, n) => match(n, { client: "many" }));
  matches.push(match(100, { client: "other" }), match(101, { client: "other" }));
  for (let count = 0; count < 6; count++) await next();
  await Promise.all(matches);
  expect(queries[1]).toEqual(expect.arrayContaining([100, 101]));
});

it("C132 a slow filter does not delay those of its query, and has queries of its own for a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { each, queries, next } = makeQueries();
  const match = makeMatcher(each, 4);
  const matchAll = () => [0, 1, 2, 3].map((n) => match(n, { client: `${n}` }));
  const busy = [10, 11, 12, 13].map((n) => match(n));
  const [first, slow, ...others] = matchAll();
  for (let count = 0; count < 4; count++) await next();
  await Promise.all(busy);
  expect(queries.slice(4)).toEqual([[0, 1, 2, 3]]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(queries.slice(5)).toEqual([[0], [1], [2]]);
  for (const name of ["0", "2", "3"]) await next(name);
  expect(await Promise.all([first, ...others])).toEqual([[true], [true], [true]]);
  await vi.advanceTimersByTimeAsync(1_000);
  await next("1");
  expect(await slow).toEqual([true]);
  await next("0,1,2,3");
  queries.length = 0;
  const again = [...[10, 11, 12].map((n) => match(n)), ...matchAll()];
  for (let count = 0; count < 8; count++) await next();
  await Promise.all(again);
  expect(queries).toEqual(expect.arrayContaining([[1]]));
  await vi.advanceTimersByTimeAsync(60_000);
  queries.length = 0;
  const later = [...[10, 11, 12, 13].map((n) => match(n)), ...matchAll()];
  for (let count = 0; count < 8; count++) await next();
  await Promise.all(later);
  expect(queries.slice(4)).toEqual([[0, 1, 2, 3]]);
});

it("C132 a slow query whose filters wait for a connection is not repeated if it ends before", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { each, queries, next } = makeQueries((filters) => filters.map(({ where }) => [where.n === 2]));
  const match = makeMatcher(each);
  const matches = [0, 1, 2].map((n) => match(n));
  await next();
  await vi.advanceTimersByTimeAsync(5_000);
  await next();
  expect(await Promise.all(matches)).toEqual([[false], [false], [true]]);
  expect(queries).toEqual([[0], [1, 2]]);
});
