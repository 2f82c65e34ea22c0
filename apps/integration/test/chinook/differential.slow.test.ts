import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { compareLists } from "../../../../scripts/test/compare-lists.js";
import { makeRandomLists, type RandomLists } from "../../../../scripts/test/random-lists.js";
import { type Chinook, hasChinook, startChinook } from "./chinook.js";

/** `MODEL_DIFFERENTIAL_RUNS=20000 MODEL_DIFFERENTIAL_SEED=7` runs more, with another seed. */
const runs = Number(process.env.MODEL_DIFFERENTIAL_RUNS ?? 500);
const seed = Number(process.env.MODEL_DIFFERENTIAL_SEED ?? 1);

const paths = {
  Artist: "artists",
  Album: "albums",
  Genre: "genres",
  MediaType: "media-types",
  Track: "tracks",
  Playlist: "playlists",
  PlaylistTrack: "playlist-tracks",
  Employee: "employees",
  Customer: "customers",
  Invoice: "invoices",
  InvoiceLine: "invoice-lines",
};

describe.skipIf(!hasChinook)("Chinook", () => {
  let chinook: Chinook;
  let lists: RandomLists;
  let disconnect: () => Promise<void>;
  beforeAll(async () => {
    chinook = await startChinook(inject("postgresUrl"), { limits: { filterCost: 1_000_000 } });
    const generated = path.join(import.meta.dirname, "../generated/chinook");
    const { PrismaClient, Prisma } = await import(path.join(generated, "client/client.ts"));
    const { models } = await import(path.join(generated, "models.ts"));
    const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: chinook.database.url }) });
    disconnect = () => client.$disconnect();
    lists = await makeRandomLists(models, client, paths, Prisma.AnyNull);
  });
  afterAll(async () => {
    await disconnect?.();
    await chinook?.close();
  });

  it(`C8 C9 C10 C18 returns for ${runs} random lists what Prisma returns: rows, order, total and every page of a cursor`, {
    timeout: 300_000 + runs * 100,
  }, async () => {
    const compared = await compareLists(`${chinook.service.url}/api`, lists.list, { seed, runs });
    expect(compared).toBeGreaterThan(runs * 0.98);
  });
});
