import type { Model } from "@servicekit/prisma";
import type { FilteredStates, MatchStates } from "@servicekit/prisma/internal";
import { expect, it } from "vitest";
import { makeMatchOne } from "./match-together.js";

const model = { name: "Order" } as Model;

/** Matches filters whose `where` contains their number; one work at a time, when `next` is called. */
function makeTurns(each: MatchStates["each"]) {
  const turns: (() => Promise<void>)[] = [];
  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      turns.push(() => work().then(resolve, reject));
    });
  const matchOne = makeMatchOne({ each }, inTurn);
  return {
    match: (n: number) => matchOne(model, { states: [{ id: n }], where: { n } }),
    next: () => turns.shift()?.(),
  };
}

const numbersOf = (filters: readonly FilteredStates[]): readonly unknown[] => filters.map(({ where }) => where.n);

it("C111 compares states with the filters that wait in one query, in groups of few sizes", async () => {
  const queries: (readonly unknown[])[] = [];
  const { match, next } = makeTurns(async (_model, filters) => {
    queries.push(numbersOf(filters));
    return filters.map(({ where }) => [Number(where.n) % 2 === 0]);
  });
  const found = Array.from({ length: 39 }, (_, n) => match(n));
  for (let turn = 0; turn < 39; turn++) await next();
  expect(await Promise.all(found)).toEqual(found.map((_, n) => [n % 2 === 0]));
  expect(queries.map(({ length }) => length)).toEqual([32, 4, 2, 1]);
  expect(queries.flat()).toEqual(found.map((_, n) => n));
});

it("C111 an error of a query concerns only the filters of its group", async () => {
  const { match, next } = makeTurns(async (_model, filters) => {
    if (filters.length > 1) throw new Error("no connection");
    return filters.map(() => [true]);
  });
  const found = [match(1), match(2), match(3)];
  const outcomes = Promise.allSettled(found);
  for (let turn = 0; turn < 3; turn++) await next();
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});
