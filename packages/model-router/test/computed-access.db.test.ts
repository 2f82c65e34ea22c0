import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { ModelConfig } from "../src/index.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";
import { seedWorld } from "./two-databases.js";

let world: World;
beforeAll(async () => {
  world = await makeWorld(inject("postgresUrl"));
  await seedWorld(world, { secret: "s", score: "1", subtitle: "'sub'", writer: "", share: "60", outside: [] });
});
afterAll(() => world?.close());

const all = (names: string): readonly string[] => names.split(" ");
/** Of a field that some may read, of one that is hidden from everyone, and of both. */
const computed: ModelConfig["computed"] = {
  cost: { type: z.string(), needs: ["price"], compute: ({ price }) => `cost ${price}` },
  spine: { type: z.string(), needs: ["title", "subtitle"], compute: ({ title, subtitle }) => `${title} ${subtitle}` },
};
const serve = (fields: Readonly<Record<string, readonly string[]>>, more: ModelConfig = {}) =>
  world.serve({ models: { Book: { hidden: ["subtitle"], computed, ...more, auth: { ...more.auth, fields } } } });
const shown = async (service: Guarded, who?: Who, path = "/books/1") => {
  const { status, text } = await service.call("GET", path, undefined, who);
  return status === 200 ? Object.keys(JSON.parse(text).data) : status;
};

describe("C102 computed fields and field rules", () => {
  it("leave out a field that needs one that the caller may not read", async () => {
    const service = await serve({ "*": all("id title"), editor: ["price"] });
    expect(await shown(service)).toEqual(all("id title spine"));
    expect(await shown(service, ["editor"])).toEqual(all("id title price cost spine"));
    expect(await shown(service, "root")).toContain("cost");
    const [hidden, unknown] = await Promise.all(
      ["cost", "nope"].map((name) => service.call("GET", `/books?fields=${name}`)),
    );
    expect(hidden?.text.replaceAll("cost", "nope")).toBe(unknown?.text);
    const body = { title: "T", cost: "1" };
    const written = await service.call("POST", "/books", body);
    expect(written.text).not.toContain("computed");
  });

  it("show a field by its own rule, whatever it needs", async () => {
    const service = await serve({ "*": all("id cost"), editor: all("title spine") });
    expect(await shown(service)).toEqual(all("id cost"));
    expect(await shown(service, ["editor"])).toEqual(all("id title cost spine"));
    const isbn = await serve({ "*": all("id title price"), editor: ["cost"] });
    expect(await shown(isbn)).toEqual(all("id title price spine"));
  });

  it("apply to the responses of writes and to included rows", async () => {
    const service = await serve({ "*": all("id title publisherId"), editor: ["price"] });
    const { text } = await service.call("PATCH", "/books/1", { title: "One" });
    expect(Object.keys(JSON.parse(text).data)).toEqual(all("id title publisherId spine"));
    const included = await service.call("GET", "/covers?include=book");
    expect(Object.keys(JSON.parse(included.text).data[0].book)).toEqual(all("id title publisherId spine"));
    for (const query of ["cost=1", "sort=cost", "book.cost=1"])
      expect((await service.call("GET", `/books?${query}`)).text).not.toContain("computed");
  });

  it("leave out a field in hidden, and select fields by the default query options", async () => {
    const hidden = await serve({}, { hidden: all("subtitle cost") });
    expect(await shown(hidden, "root")).not.toContain("cost");
    const service = await world.serve({
      models: {
        Book: {
          computed,
          query: { findMany: { select: { id: true, cost: true } }, findOne: { omit: { cost: true } } },
        },
      },
    });
    const { text } = await service.call("GET", "/books?limit=1");
    expect(Object.keys(JSON.parse(text).data[0])).toEqual(["id", "cost"]);
    expect(await shown(service)).not.toContain("cost");
    const other = await service.call("GET", "/books?fields=spine");
    expect(JSON.parse(other.text).errors[0].message).toBe("spine of Book is not shown here.");
    const written = await service.call("PATCH", "/books/1", { title: "One" });
    expect(JSON.parse(written.text).data).toHaveProperty("spine");
  });

  it("are those of rows that a row rule adds to to-one relations", async () => {
    const service = await world.serve({ models: { Book: { computed, auth: { where: () => ({ id: { lt: 5 } }) } } } });
    const { text } = await service.call("GET", "/covers?include=book&sort=bookId");
    const { data } = JSON.parse(text);
    expect(data.map(({ book }: { book: { cost: string } | null }) => book?.cost)).toEqual([
      "cost 10",
      "cost null",
      undefined,
    ]);
    expect(Object.keys(data[0].book)).toContain("spine");
  });
});
