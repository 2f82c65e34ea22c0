import { type Database, type Model, makeDatabase } from "@servicekit/prisma";
import { comparedReads, makeComparedReads } from "../../../scripts/test/compare-reads.js";
import { makeDraw } from "../../../scripts/test/random-draw.js";
import { anyValue, makeReader } from "./random-reads.js";
import { type Shelf, shelfModels } from "./shelf.js";

const named = [
  "Publisher",
  "Writer",
  "Tag",
  "Book",
  "Cover",
  "Authorship",
  "Payment",
  "Value",
  "Listing",
  "PairKey",
  "TextKey",
  "DayKey",
];

/** Fills a shelf with rows of every kind, and NULL in every nullable place. */
export async function fillShelf(database: Database): Promise<void> {
  const draw = makeDraw(7);
  const counts: Readonly<Record<string, number>> = {
    Publisher: 3,
    Writer: 3,
    Tag: 4,
    Book: 12,
    Value: 25,
    Listing: 8,
    PairKey: 6,
    TextKey: 5,
    DayKey: 2,
  };
  for (const [name, count] of Object.entries(counts)) {
    const model = shelfModels.get(name) as Model;
    const data = Array.from({ length: count }, (_, index) => rowOf(model, index));
    await database.of(model).createMany({ data, select: select(model), skipDuplicates: true } as never);
  }
  function rowOf(model: Model, index: number): Record<string, unknown> {
    return Object.fromEntries(
      model.fields.flatMap((field): [string, unknown][] => {
        if (field.kind !== "scalar" && field.kind !== "enum") return [];
        const { name } = field;
        if (field.isId && field.hasDefault) return [];
        if (name === "publisherId" || name === "seriesOf") return [[name, draw.chance(0.4) ? null : 1 + draw.below(3)]];
        if (field.isUnique && field.type === "String" && model.name !== "TextKey") return [[name, `${name} ${index}`]];
        if (field.isList) return [[name, Array.from({ length: draw.below(3) }, () => anyValue(field, draw))]];
        return !field.isRequired && draw.chance(0.3) ? [] : [[name, anyValue(field, draw)]];
      }),
    );
  }
  const books = await database.of("Book").findMany({ select: { id: true } });
  const tags = await database.of("Tag").findMany({ select: { name: true } });
  for (const { id } of books) {
    const own = tags.filter(() => draw.chance(0.4));
    await database.of("Book").update({ where: { id }, data: { tags: { connect: own } }, select: { id: true } });
    if (draw.chance(0.6))
      await database.of("Cover").create({ data: { color: draw.pick(["a", "A", "b%"]), bookId: id } });
    for (const writerId of [1, 2, 3]) {
      if (!draw.chance(0.4)) continue;
      await database.of("Authorship").create({ data: { bookId: id, writerId, share: draw.below(4) } });
      if (draw.chance(0.5)) await database.of("Payment").create({ data: { amount: "1.50", bookId: id, writerId } });
    }
  }
}

const select = (model: Model) => Object.fromEntries((model.key?.fields ?? []).map(({ name }) => [name, true]));

/** Runs the given number of reads, each with Prisma and with SQL, and returns how many ran by SQL. */
export async function compareRandomReads(
  shelf: Shelf,
  { seed, runs }: { seed: number; runs: number },
): Promise<number> {
  comparedReads.clear();
  const database = makeDatabase({
    client: shelf.client,
    models: shelfModels,
    executor: makeComparedReads(shelf.client, shelfModels),
  });
  const rows = new Map<string, readonly Record<string, unknown>[]>();
  for (const name of named) rows.set(name, await shelf.database.of(name).findMany({}));
  for (let run = seed; run < seed + runs; run++) {
    const draw = makeDraw(run);
    const read = makeReader(shelfModels, rows, draw);
    try {
      await read(database, shelfModels.get(draw.pick(named)) as Model);
    } catch (error) {
      throw new Error(`seed ${run}`, { cause: error });
    }
  }
  return [...comparedReads.values()].reduce((sum, { compared }) => sum + compared, 0);
}
