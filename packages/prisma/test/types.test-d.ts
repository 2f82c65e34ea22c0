import { expectTypeOf, it } from "vitest";
import type { Database, Delegate, ModelsData, PrismaClientLike, Row, RunChanges, WriteExecutor } from "../src/index.js";
import type { AroundStatement } from "../src/postgres/index.js";
import type { PrismaClient } from "./generated/kinds/client/client.js";
import type { models } from "./generated/kinds/models.js";

it("a generated client and a generated module fit", () => {
  expectTypeOf<PrismaClient>().toExtend<PrismaClientLike>();
  expectTypeOf<typeof models>().toExtend<ModelsData>();
});

it("delegates speak Prisma's arguments and give rows", () => {
  const delegate = {} as Delegate;
  expectTypeOf(delegate.findMany({ where: { a: 1 }, take: 1 })).toEqualTypeOf<Promise<readonly Row[]>>();
  expectTypeOf(delegate.deleteMany({ where: { a: 1 } })).toEqualTypeOf<Promise<number>>();
  // @ts-expect-error a where is needed
  void delegate.deleteMany({});
  // @ts-expect-error undefined is not a where
  void delegate.findMany({ where: undefined });
});

it("a transaction gives what its work gives", () => {
  const database = {} as Database;
  expectTypeOf(database.transaction(async () => 1)).toEqualTypeOf<Promise<number>>();
});

it("F29 what stands around a statement gives back what the statement gave", () => {
  const around: AroundStatement = (_sql, run) => run();
  const run = () => around("SELECT 1", () => Promise.resolve(5));
  expectTypeOf(run).returns.resolves.toEqualTypeOf<number>();
  // @ts-expect-error it swallows the outcome
  (async (_sql, run) => void (await run())) satisfies AroundStatement;
});

it("C71 changes of many rows give rows, or the JSON of each", () => {
  expectTypeOf<RunChanges<string>>().returns.resolves.toEqualTypeOf<readonly string[]>();
  expectTypeOf<NonNullable<ReturnType<WriteExecutor["updateEach"]>>>().toEqualTypeOf<RunChanges<Row>>();
  // @ts-expect-error rows are no JSON
  (async () => [{ id: 1 }]) satisfies RunChanges<string>;
});
