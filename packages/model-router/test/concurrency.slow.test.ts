import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(() => shelf?.close());

const seconds = process.env.SERVICEKIT_LONG === "1" ? 20 : 3;
const clients = 20;

/** One client, which owns its rows and shares the unique names of `Series` with all others. */
async function work(client: number, until: number) {
  const rows = new Map<number, { name: string }>();
  const statuses = new Map<number, number>();
  let names = 0;
  const call: Shelf["call"] = async (method, path, body) => {
    const response = await shelf.call(method, path, body);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    return response;
  };
  for (let turn = 0; Date.now() < until; turn++) {
    const name = `c${client}-${turn}`;
    const [id] = [...rows.keys()].sort(() => Math.random() - 0.5);
    switch (turn % 8) {
      case 0:
      case 1: {
        const { status, body } = await call("POST", "/people", { name });
        if (status === 201) rows.set(body.data.id, { name });
        break;
      }
      case 2: {
        const { status, body } = await call("POST", "/people/many", [
          { name },
          { name: `${name}b` },
          { name: `${name}c` },
        ]);
        if (status === 201) for (const { id: made, name: given } of body.data) rows.set(made, { name: given });
        break;
      }
      case 3:
        if (id !== undefined && (await call("PATCH", `/people/${id}`, { name })).status === 200) rows.set(id, { name });
        break;
      case 4: {
        const ids = [...rows.keys()].slice(0, 3).sort(() => Math.random() - 0.5);
        if (ids.length === 0) break;
        const { status } = await call(
          "PATCH",
          "/people/many",
          ids.map((one) => ({ id: one, name: `${name}-${one}` })),
        );
        if (status === 200) for (const one of ids) rows.set(one, { name: `${name}-${one}` });
        break;
      }
      case 5:
        if (id !== undefined && (await call("DELETE", `/people/${id}`)).status === 204) rows.delete(id);
        break;
      case 6: {
        const { body } = await call("GET", `/people?name__startsWith=c${client}-&limit=100&sort=id`);
        expect(body.meta.total).toBe(rows.size);
        break;
      }
      default: {
        // All clients use the same few names, and change the same rows.
        const { status } = await call("POST", "/series", { name: `s${turn % 24}` });
        if (status === 201) names++;
        await call("PATCH", `/series/many?name__startsWith=s&id__lte=${1 + (turn % 5)}`, {});
        if (turn % 16 === 15) await call("DELETE", `/series/many?name=s${turn % 24}`);
      }
    }
  }
  return { rows, statuses, names };
}

it(
  `${clients} concurrent clients for ${seconds} s: every acknowledged write is in the database, and nothing fails`,
  async () => {
    const until = Date.now() + seconds * 1000;
    const done = await Promise.all(Array.from({ length: clients }, (_, client) => work(client, until)));
    const expected = done.flatMap(({ rows }) => [...rows].map(([id, { name }]) => ({ id, name })));
    const stored = await shelf.sql(`SELECT id, name FROM "Person" ORDER BY id`);
    expect(stored).toEqual(expected.sort((a, b) => a.id - b.id));
    const statuses = new Set(done.flatMap((one) => [...one.statuses.keys()]));
    expect([...statuses].filter((status) => ![200, 201, 204, 409].includes(status))).toEqual([]);
    expect(shelf.logged).toEqual([]);
    expect(expected.length).toBeGreaterThan(clients);
  },
  (seconds + 30) * 1000,
);

it("100 concurrent creates of one unique name: one 201 and 99 times 409", async () => {
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => shelf.call("POST", "/series", { name: "only" })),
  );
  const count = (status: number) => responses.filter((response) => response.status === status).length;
  expect([count(201), count(409)]).toEqual([1, 99]);
});

it("two lists that change the same rows in opposite order both complete", async () => {
  const { body } = await shelf.call(
    "POST",
    "/people/many",
    Array.from({ length: 40 }, () => ({ name: "x" })),
  );
  const ids: number[] = body.data.map(({ id }: { id: number }) => id);
  const change = (order: number[], name: string) =>
    shelf.call(
      "PATCH",
      "/people/many",
      order.map((id) => ({ id, name })),
    );
  for (let round = 0; round < 10; round++) {
    const responses = await Promise.all([change(ids, "up"), change([...ids].reverse(), "down"), change(ids, "again")]);
    for (const { status } of responses) expect([200, 409]).toContain(status);
    const names = await shelf.sql<{ name: string }>(
      `SELECT DISTINCT name FROM "Person" WHERE id = ANY($1::int[])`,
      ids,
    );
    expect(names).toHaveLength(1);
  }
  expect(shelf.logged).toEqual([]);
});
