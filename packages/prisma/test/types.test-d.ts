import { expectTypeOf, it } from "vitest";
import type {
  Database,
  Delegate,
  Executor,
  ModelsData,
  PrismaClientLike,
  ReadDatabase,
  Result,
  Row,
} from "../src/index.js";
import type { DeletedBatch, deleteInBatches } from "../src/internal.js";
import type { AroundStatement } from "../src/postgres/index.js";
import type { PrismaClient } from "./generated/kinds/client/client.js";
import type { models } from "./generated/kinds/models.js";

it("a generated client and a generated module fit", () => {
  expectTypeOf<PrismaClient>().toExtend<PrismaClientLike>();
  expectTypeOf<typeof models>().toExtend<ModelsData>();
});

it("delegates accept Prisma's arguments and return rows", () => {
  const delegate = {} as Delegate;
  expectTypeOf(delegate.findMany({ where: { a: 1 }, take: 1 })).toEqualTypeOf<Promise<readonly Row[]>>();
  expectTypeOf(delegate.deleteMany({ where: { a: 1 } })).toEqualTypeOf<Promise<number>>();
  // @ts-expect-error a where is needed
  void delegate.deleteMany({});
  // @ts-expect-error undefined is not a where
  void delegate.findMany({ where: undefined });
});

it("a transaction returns the result of its work", () => {
  const database = {} as Database;
  expectTypeOf(database.transaction(async () => 1)).toEqualTypeOf<Promise<number>>();
});

it("C121 reads with a client have its types, and return the result of the work", () => {
  const read = {} as ReadDatabase<PrismaClient>;
  expectTypeOf(read.run((client) => client.tag.count())).toEqualTypeOf<Promise<number>>();
  expectTypeOf(read.run(async (client) => client)).toEqualTypeOf<Promise<PrismaClient>>();
  // @ts-expect-error it has no such model
  void read.run((client) => client.unknown.count());
  // @ts-expect-error the work returns a promise
  void read.run(() => 1);
});

it("the wrapper of a statement returns the statement's result", () => {
  const around: AroundStatement = (_sql, run) => run();
  const run = () => around("SELECT 1", () => Promise.resolve(5));
  expectTypeOf(run).returns.resolves.toEqualTypeOf<number>();
  // @ts-expect-error it swallows the outcome
  (async (_sql, run) => void (await run())) satisfies AroundStatement;
});

it("C71 a query gives rows, or the JSON of them", () => {
  const delegate = {} as Delegate;
  expectTypeOf(delegate.execute({ operation: "count", args: {} })).toEqualTypeOf<Promise<Result>>();
  expectTypeOf<Executor["prepare"]>().returns.toEqualTypeOf<(() => Promise<Result>) | undefined>();
  // @ts-expect-error an update needs a where
  void delegate.execute({ operation: "update", args: { data: {} } });
});

it("C149 a batch of a deletion continues from a start of the same type", () => {
  const options = {} as Parameters<typeof deleteInBatches<number>>[0];
  expectTypeOf(options.start).toEqualTypeOf<number>();
  expectTypeOf(options.batch).returns.resolves.toEqualTypeOf<DeletedBatch<number>>();
  // @ts-expect-error the next batch would start from a text
  ({ deleted: 1, next: "a" }) satisfies DeletedBatch<number>;
});
