import { operatorsOf } from "@servicekit/prisma";
import { isSortable } from "@servicekit/prisma/internal";
import { expect } from "vitest";
import type { TestResponse } from "./serve-models.js";
import { engines, operandOf, thingField, type UnusualWorld } from "./unusual-world.js";

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

/** The response of both engines to the same request; an error of the service fails the test. */
export async function callBoth(
  database: UnusualWorld,
  method: string,
  target: string,
  body?: unknown,
): Promise<TestResponse> {
  const responses: TestResponse[] = [];
  for (const engine of engines) {
    const response = await database.served[engine].call(method, target, body);
    expect(response.status, `${engine} ${method} ${target} ${JSON.stringify(response.body)}`).toBeLessThan(500);
    responses.push(response);
  }
  const [one, other] = responses.map(({ status, headers, body: reported }) => ({
    status,
    tag: headers.get("etag"),
    text: JSON.stringify(reported)?.replace(/"requestId":"[^"]*"/, ""),
  }));
  expect(other, `${method} ${target}`).toEqual(one);
  return responses[0] as TestResponse;
}

const found = ({ body }: TestResponse): readonly number[] => (body.data as readonly Row[]).map(({ id }) => id);

/** Follows a cursor, page by page, and returns the ids in order. */
export async function walk(database: UnusualWorld, path: string, sort: string, limit: number): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let cursor = ""; ; ) {
    const target = `/${path}?cursor=${cursor}&sort=${sort}&limit=${limit}&count=false`;
    const response = await callBoth(database, "GET", target);
    expect(response.status, `${target} ${JSON.stringify(response.body)}`).toBe(200);
    rows.push(...response.body.data);
    expect(rows.length, `${sort} does not end`).toBeLessThan(1000);
    if (response.body.meta.nextCursor === null) return rows;
    cursor = response.body.meta.nextCursor;
  }
}

/** Columns that support a cursor. */
export const isFollowed = (name: string): boolean => {
  const field = thingField(name);
  return isSortable(field) && operatorsOf(field).includes("gt") && field.nativeType?.name !== "Real";
};

/** Filters by a returned value: it finds the row, and greater, smaller or other values do not. */
export async function findByShown(database: UnusualWorld, row: Row, name: string): Promise<void> {
  const field = thingField(name);
  const value = row[name];
  const operators: readonly string[] = operatorsOf(field);
  const isFound = async (condition: string, expected: boolean): Promise<void> => {
    const target = `/things?${condition}&limit=100&fields=id&id=${row.id}`;
    const response = await callBoth(database, "GET", target);
    expect([response.status, found(response).includes(row.id)], `${condition} of ${JSON.stringify(value)}`).toEqual([
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
  // Of JSON only short numbers, strings and booleans are compared.
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
