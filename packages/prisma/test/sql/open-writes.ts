import { splitExecutor } from "../../../../scripts/test/split-executor.js";
import { type Result, type SeenModels } from "../../src/database/executor.js";
import { type Database, makeDatabase } from "../../src/database/make-database.js";
import { prismaExecutor } from "../../src/database/prisma-executor.js";
import { type Model } from "../../src/models/model.js";
import { makePostgresAdapter, type PostgresAdapter } from "../../src/postgres/make-postgres-adapter.js";
import { type Clause, type Row } from "../../src/queries/query-args.js";
import { sqlExecutor } from "../../src/sql/sql-executor.js";
import { dbNull, jsonNull } from "../../src/values/prisma-nulls.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "../kinds.js";

/** A database with writes by SQL, and one with writes by Prisma. */
export interface Writes {
  /** By Prisma. */
  readonly kinds: Kinds;
  readonly client: PrismaClient;
  readonly adapter: PostgresAdapter;
  readonly database: Database;
  /** The writing statements. */
  readonly written: readonly string[];
  close(): Promise<void>;
}

/** Opens them with a separate database. */
export async function openWrites(postgresUrl: string): Promise<Writes> {
  const kinds = await openKinds(postgresUrl);
  const adapter = makePostgresAdapter({ url: kinds.url, poolSize: 1 });
  const client = new PrismaClient({ adapter });
  const { link } = adapter;
  const written: string[] = [];
  const query: typeof link.query = (sql, values) => {
    written.push(sql);
    return link.query(sql, values);
  };
  const own = { isOpen: () => link.isOpen(), query, decimal: link.decimal };
  const bySql = sqlExecutor({ client, link: own, models, schema: "public" });
  const executor = splitExecutor({ reads: [prismaExecutor], writes: [bySql, prismaExecutor] });
  const database = makeDatabase({ client, models, schema: "public", executor });
  await database.ping();
  const close = async (): Promise<void> => {
    await client.$disconnect();
    await kinds.close();
  };
  return { kinds, client, adapter, database, written, close };
}

/** The common selection of a model. */
export const selectOf = (name: string): Clause =>
  Object.fromEntries(
    (models.get(name) as Model).fields.flatMap((field) =>
      (field.kind === "scalar" || field.kind === "enum") && !field.isList && field.nativeType?.name !== "Money"
        ? [[field.name, true]]
        : [],
    ),
  );

/** Rows of the model `Scalar`. */
export const scalars = Array.from({ length: 400 }, (_, at) => ({
  string: `it's "${at}" \\ 🎵`,
  boolean: at % 2 === 0,
  int: at - 200,
  bigInt: 9007199254740993n + BigInt(at),
  float: at / 7,
  decimal: `${at}.10`,
  dateTime: new Date(at * 1e9 + 123),
  json: [{ at, b: ["x", null] }, dbNull, jsonNull, "null"][at % 4],
  bytes: new Uint8Array([at % 256, 92]),
  stage: (["DRAFT", "IN_REVIEW"] as const)[at % 2],
}));

const model = models.get("Scalar") as Model;
const fields = model.fields.map((field) =>
  field.name === "string" ? { ...field, annotations: { ...field.annotations, hidden: true } } : field,
);
const own = { ...model, fields, fieldsByName: new Map(fields.map((field) => [field.name, field])) };

/** A caller who may read all of a `Scalar`, and one who may not read its text. */
export const complete: SeenModels = { model, models };
export const withoutText: SeenModels = { model: own, models: new Map([...models, ["Scalar", own]]) };

/** The JSON of a result, and the key of a written row. */
export const jsonOf = (result: Result): string => ("json" in result ? String(result.json) : "no JSON");
export const keyOf = (result: Result): Row => ("json" in result ? (result.key ?? {}) : {});
