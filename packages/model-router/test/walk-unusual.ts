import { operatorsOf } from "@servicekit/prisma";
import { isSortable } from "@servicekit/prisma/internal";
import { expect } from "vitest";
import type { Answer } from "./serve-models.js";
import { engines, operandOf, thingField, type UnusualWorld } from "./unusual-world.js";

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

/** What both engines answer to the same request; an error of the service fails the test. */
export async function askBoth(world: UnusualWorld, method: string, target: string, body?: unknown): Promise<Answer> {
  const answers: Answer[] = [];
  for (const engine of engines) {
    const answer = await world.served[engine].call(method, target, body);
    expect(answer.status, `${engine} ${method} ${target} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    answers.push(answer);
  }
  const [one, other] = answers.map(({ status, headers, body: told }) => ({
    status,
    tag: headers.get("etag"),
    text: JSON.stringify(told)?.replace(/"requestId":"[^"]*"/, ""),
  }));
  expect(other, `${method} ${target}`).toEqual(one);
  return answers[0] as Answer;
}

const found = ({ body }: Answer): readonly number[] => (body.data as readonly Row[]).map(({ id }) => id);

/** Walks with a cursor, page by page, and tells the ids in their order. */
export async function walk(world: UnusualWorld, path: string, sort: string, limit: number): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let cursor = ""; ; ) {
    const target = `/${path}?cursor=${cursor}&sort=${sort}&limit=${limit}&count=false`;
    const answer = await askBoth(world, "GET", target);
    expect(answer.status, `${target} ${JSON.stringify(answer.body)}`).toBe(200);
    rows.push(...answer.body.data);
    expect(rows.length, `${sort} does not end`).toBeLessThan(1000);
    if (answer.body.meta.nextCursor === null) return rows;
    cursor = answer.body.meta.nextCursor;
  }
}

/** Columns that a cursor follows. */
export const isFollowed = (name: string): boolean => {
  const field = thingField(name);
  return isSortable(field) && operatorsOf(field).includes("gt") && field.nativeType?.name !== "Real";
};

/** Filters by a value that a row shows: it finds the row, and what is greater, less or another does not. */
export async function findByShown(world: UnusualWorld, row: Row, name: string): Promise<void> {
  const field = thingField(name);
  const value = row[name];
  const operators: readonly string[] = operatorsOf(field);
  const isFound = async (condition: string, expected: boolean): Promise<void> => {
    const target = `/things?${condition}&limit=100&fields=id&id=${row.id}`;
    const answer = await askBoth(world, "GET", target);
    expect([answer.status, found(answer).includes(row.id)], `${condition} of ${JSON.stringify(value)}`).toEqual([
      200,
      expected,
    ]);
  };
  if (field.isList) {
    const items = (value as readonly unknown[]).flat().filter((item) => item !== null);
    if (field.type === "Json") return;
    for (const item of items) if (operators.includes("has")) await isFound(`${name}__has=${operandOf(item)}`, true);
    return;
  }
  const operand = operandOf(value);
  // Of JSON only short numbers, texts and truth values are compared.
  if (typeof value === "object" || (field.type === "Json" && typeof value === "number")) return;
  const truths: Readonly<Record<string, boolean>> = {
    equals: true,
    in: true,
    gte: true,
    lte: true,
    not: false,
    notIn: false,
    gt: false,
    lt: false,
  };
  if (operators.includes("equals")) await isFound(`${name}=${operand}`, true);
  for (const [operator, isTrue] of Object.entries(truths))
    if (operators.includes(operator)) await isFound(`${name}__${operator}=${operand}`, isTrue);
}
