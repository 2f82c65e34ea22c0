import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../src/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
let database: Database;
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  const client = new PrismaClient({ adapter: makePostgresAdapter({ url: kinds.url }) });
  database = makeDatabase({ client, models, schema: "public" });
});
afterAll(async () => {
  await database?.disconnect();
  await kinds?.close();
});

describe("C16 a row under a lock", () => {
  it("blocks other writes until the transaction ends, and is read in its current state", async () => {
    const { id } = await database.of("Author").create({ data: { email: "a@b.c", password: "x" } });
    const where = { id };
    const order: string[] = [];
    let locked!: () => void;
    const whenLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const first = database.transaction(async (inside) => {
      expect(await inside.of("Author").lock(where)).toBe(true);
      locked();
      await kinds.whenBlocked();
      order.push("first");
      await inside.of("Author").update({ where, data: { email: "first@b.c" } });
    });
    await whenLocked;
    const second = database.transaction(async (inside) => {
      await inside.of("Author").lock(where);
      order.push("second");
      return inside.of("Author").findUnique({ where, select: { email: true } });
    });
    await first;
    expect(await second).toEqual({ email: "first@b.c" });
    expect(order).toEqual(["first", "second"]);
  });

  it("is found by a key of several mapped columns, a UUID, a decimal-like big integer and a hostile text", async () => {
    const author = await database.of("Author").create({ data: { email: "k@b.c", password: "x" } });
    const article = await database.of("Article").create({
      data: { title: "t", slug: "s", language: "en", authorId: author.id },
    });
    const hostile = `x' OR "1"='1 \\ {"a":1}`;
    const tag = await database.of("Tag").create({ data: { name: hostile } });
    const native = await database.of("Native").create({ data: {} });
    await database.of("Posting").create({ data: { articleId: article.id, authorId: author.id, place: "p" } });
    const key = { authorId: author.id, articleId: article.id };
    await database.transaction(async (inside) => {
      expect(await inside.of("Article").lock({ id: article.id })).toBe(true);
      expect(await inside.of("Tag").lock({ name: tag.name, AND: [{ name: "other" }] })).toBe(true);
      expect(await inside.of("Native").lock({ id: native.id })).toBe(true);
      expect(await inside.of("Posting").lock({ authorId_articleId: key })).toBe(true);
      expect(await inside.of("Posting").lock({ authorId_articleId: { ...key, articleId: 0n } })).toBe(false);
      expect(await inside.of("Tag").lock({ name: "nobody" })).toBe(false);
    });
  });

  it("is rejected where it would have no effect", async () => {
    await expect(database.of("Tag").lock({ name: "x" })).rejects.toThrow(TypeError);
    const wrong = [{}, { other: 1 }, { name: undefined }];
    for (const where of wrong) {
      await expect(database.transaction((inside) => inside.of("Tag").lock(where))).rejects.toThrow(TypeError);
    }
    const endless = database.transaction((inside) => inside.of("Summary").lock({ email: "x" }));
    await expect(endless).rejects.toThrow("Summary has no key");
  });
});
