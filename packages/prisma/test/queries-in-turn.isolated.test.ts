import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, openKinds } from "./kinds.js";

let kinds: Kinds;
let client: PrismaClient;
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  client = new PrismaClient({ adapter: makePostgresAdapter({ url: kinds.url, poolSize: 1 }) });
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});

it("C67 a connection runs one query at a time, whatever a transaction sends concurrently, without warnings", async () => {
  const warnings: string[] = [];
  const works = ["one", "two"].map((title) => ({ title, slug: title, language: "en" }));
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", onWarning);
  try {
    await client.$transaction(async (inside) => {
      await inside.author.create({ data: { email: "a@x.de", password: "p", articles: { create: works } } });
      const relations = { articles: true, reviewed: true, friends: true, friendOf: true, reports: true, profile: true };
      const [found, counts] = await Promise.all([
        inside.author.findMany({ include: relations }),
        Promise.all(Array.from({ length: 20 }, () => inside.author.count())),
      ]);
      expect([found[0]?.articles.length, new Set(counts)]).toEqual([2, new Set([1])]);
    });
    // A rejected one does not stop the others.
    const all = await client.$transaction(async (inside) => {
      const requested = [1, 0, 2, 3].map((by) => inside.$queryRawUnsafe("SELECT 6 / $1::int AS n", by));
      return (await Promise.allSettled(requested)).map(({ status }) => status);
    });
    expect(all.slice(0, 2)).toEqual(["fulfilled", "rejected"]);
    expect(await client.author.count()).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("warning", onWarning);
  }
  expect(warnings).toEqual([]);
});
