import { HttpError } from "@servicekit/core";
import type { Model } from "@servicekit/prisma";
import type { Filter, FilteredStates, MatchStates } from "@servicekit/prisma/internal";
import { expect, it } from "vitest";
import { makeMatchOne, maxSharedCost } from "./match-together.js";

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
    matchOne(model, { states: [{ id: n }], filter: filterOf(n, cost), where: { n } }, client);
}

/** Queries that end when `next` is called. */
function makeQueries(
  answer: (filters: readonly FilteredStates[]) => readonly (readonly boolean[])[] = (filters) =>
    filters.map(() => [true]),
) {
  const queries: (readonly unknown[])[] = [];
  const running: (() => void)[] = [];
  const each: MatchStates["each"] = (_model, filters) => {
    queries.push(numbersOf(filters));
    return new Promise((resolve, reject) => {
      running.push(() => {
        try {
          resolve(answer(filters));
        } catch (error) {
          reject(error);
        }
      });
    });
  };
  /** Ends the oldest query, and waits until the next one has begun. */
  const next = async (): Promise<void> => {
    running.shift()?.();
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
