import { isHttpError } from "@servicekit/core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Kinds, openKinds } from "./kinds.js";

let kinds: Kinds;

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  const { database } = kinds;
  await database.of("Author").create({ data: { email: "a@x", password: "p", secret: "s" } });
  await database.of("Author").create({ data: { email: "b@x", password: "p" } });
  await database.of("Article").create({ data: { title: "t", slug: "s", language: "en", authorId: 1 } });
  await database.of("Profile").create({ data: { bio: "b", authorId: 1 } });
  await database.of("Tag").create({ data: { name: "t" } });
  await database.of("Posting").create({ data: { articleId: 1n, authorId: 2, place: "here" } });
  await kinds.sql(`
    ALTER TABLE "Scalar" ADD CONSTRAINT "positive" CHECK ("int" > 0);
    ALTER TABLE "Scalar" ADD CONSTRAINT "apart" EXCLUDE USING btree ("float" WITH =);
    CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'secret text of the trigger'; END $$;
    CREATE TRIGGER rejection BEFORE INSERT ON "Country" FOR EACH ROW EXECUTE FUNCTION reject();
    CREATE UNIQUE INDEX one_of_these ON "Note" (lower(text));
  `);
});
afterAll(() => kinds.close());

interface Case {
  readonly what: string;
  readonly model: string;
  readonly operation: "create" | "update" | "delete" | "createMany" | "findMany";
  readonly args: object;
  readonly status: number;
  readonly code: string;
  readonly paths?: readonly string[];
}

const author1 = { where: { id: 1 } };
const article = { title: "u", slug: "u", language: "en" };
const cases: readonly Case[] = [
  {
    what: "a unique field",
    model: "Author",
    operation: "create",
    args: { data: { email: "a@x", password: "p" } },
    status: 409,
    code: "UniqueConstraint",
    paths: ["/email"],
  },
  {
    what: "a hidden unique field, which is not named",
    model: "Author",
    operation: "create",
    args: { data: { email: "c@x", password: "p", secret: "s" } },
    status: 409,
    code: "UniqueConstraint",
  },
  {
    what: "a primary key",
    model: "Tag",
    operation: "create",
    args: { data: { name: "t" } },
    status: 409,
    code: "UniqueConstraint",
    paths: ["/name"],
  },
  {
    what: "a composite id",
    model: "Posting",
    operation: "create",
    args: { data: { articleId: 1n, authorId: 2, place: "there" } },
    status: 409,
    code: "UniqueConstraint",
    paths: ["/authorId", "/articleId"],
  },
  {
    what: "two rows of one bulk",
    model: "Tag",
    operation: "createMany",
    args: { data: [{ name: "x" }, { name: "x" }] },
    status: 409,
    code: "UniqueConstraint",
    paths: ["/name"],
  },
  {
    what: "a composite unique key",
    model: "Article",
    operation: "create",
    args: { data: { ...article, slug: "s", authorId: 1 } },
    status: 409,
    code: "UniqueConstraint",
    paths: ["/language", "/slug"],
  },
  {
    what: "a key with a constraint name of its own",
    model: "Article",
    operation: "create",
    args: { data: { ...article, title: "t", authorId: 1 } },
    status: 409,
    code: "UniqueConstraint",
    paths: ["/authorId", "/title"],
  },
  {
    what: "a unique field of a nested row",
    model: "Profile",
    operation: "create",
    args: { data: { bio: "b", author: { create: { email: "a@x", password: "p" } } } },
    status: 409,
    code: "UniqueConstraint",
    paths: ["/author/email"],
  },
  {
    what: "a unique field of a nested row in one of two relations",
    model: "Article",
    operation: "create",
    args: { data: { ...article, author: { create: { email: "a@x", password: "p" } } } },
    status: 409,
    code: "UniqueConstraint",
    paths: [""],
  },
  {
    what: "a foreign key to nothing",
    model: "Article",
    operation: "create",
    args: { data: { ...article, authorId: 99 } },
    status: 400,
    code: "RelatedRecordNotFound",
    paths: ["/authorId"],
  },
  {
    what: "a foreign key of two mapped columns to nothing",
    model: "Note",
    operation: "create",
    args: { data: { text: "n", authorId: 9, articleId: 9n } },
    status: 400,
    code: "RelatedRecordNotFound",
    paths: ["/authorId", "/articleId"],
  },
  {
    what: "an update to a foreign key to nothing",
    model: "Article",
    operation: "update",
    args: { where: { id: 1n }, data: { reviewerId: 99 } },
    status: 400,
    code: "RelatedRecordNotFound",
    paths: ["/reviewerId"],
  },
  {
    what: "a connect to nothing",
    model: "Article",
    operation: "create",
    args: { data: { ...article, author: { connect: { id: 99 } } } },
    status: 400,
    code: "RelatedRecordNotFound",
    paths: ["/author"],
  },
  {
    what: "a connect to nothing from the other side",
    model: "Author",
    operation: "update",
    args: { ...author1, data: { articles: { connect: { id: 99n } } } },
    status: 400,
    code: "RelatedRecordNotFound",
    paths: ["/articles"],
  },
  {
    what: "a connect of many to nothing",
    model: "Article",
    operation: "update",
    args: { where: { id: 1n }, data: { tags: { connect: { name: "none" } } } },
    status: 400,
    code: "RelatedRecordNotFound",
  },
  {
    what: "a nested update of nothing",
    model: "Author",
    operation: "update",
    args: { where: { id: 2 }, data: { profile: { update: { bio: "x" } } } },
    status: 400,
    code: "RelatedRecordNotFound",
    paths: ["/profile"],
  },
  {
    what: "a nested delete of what is not connected",
    model: "Author",
    operation: "update",
    args: { ...author1, data: { articles: { delete: { id: 99n } } } },
    status: 409,
    code: "RecordsNotConnected",
  },
  {
    what: "a required relation that would be lost",
    model: "Author",
    operation: "update",
    args: { ...author1, data: { articles: { set: [] } } },
    status: 409,
    code: "RelationConstraint",
  },
  {
    what: "a second row of a one-to-one relation",
    model: "Author",
    operation: "update",
    args: { ...author1, data: { profile: { create: { bio: "c" } } } },
    status: 409,
    code: "RelationConstraint",
  },
  {
    what: "a delete of what others refer to",
    model: "Author",
    operation: "delete",
    args: author1,
    status: 409,
    code: "ForeignKeyConstraint",
  },
  {
    what: "a delete that the schema restricts",
    model: "Author",
    operation: "delete",
    args: { where: { id: 2 } },
    status: 409,
    code: "ForeignKeyConstraint",
  },
  {
    what: "an update of a missing row",
    model: "Author",
    operation: "update",
    args: { where: { id: 999 }, data: { karma: 1 } },
    status: 404,
    code: "NotFound",
  },
  {
    what: "a delete of a missing row",
    model: "Author",
    operation: "delete",
    args: { where: { id: 999 } },
    status: 404,
    code: "NotFound",
  },
  {
    what: "NULL in a column that Prisma ignores",
    model: "Seat",
    operation: "create",
    args: { data: { row: 1, column: 1 } },
    status: 400,
    code: "RequiredValue",
  },
  {
    what: "a text that is too long",
    model: "Author",
    operation: "create",
    args: { data: { email: "x".repeat(81), password: "p" } },
    status: 400,
    code: "ValueTooLong",
  },
  {
    what: "an integer out of range",
    model: "Author",
    operation: "update",
    args: { ...author1, data: { karma: 2 ** 31 } },
    status: 400,
    code: "ValueOutOfRange",
  },
  {
    what: "a decimal out of range",
    model: "Native",
    operation: "create",
    args: { data: { decimal: "123456789.00" } },
    status: 400,
    code: "ValueOutOfRange",
  },
  {
    what: "a text that is not a uuid",
    model: "Native",
    operation: "create",
    args: { data: { uuid: "no" } },
    status: 400,
    code: "InvalidValue",
  },
  {
    what: "a text that is not XML",
    model: "Native",
    operation: "create",
    args: { data: { xml: "<a>" } },
    status: 400,
    code: "InvalidValue",
  },
  {
    what: "a NUL byte",
    model: "Native",
    operation: "create",
    args: { data: { text: "a\0b" } },
    status: 400,
    code: "InvalidValue",
  },
  {
    what: "a NUL in JSON",
    model: "Scalar",
    operation: "create",
    args: { data: { json: { a: "\0" } } },
    status: 400,
    code: "InvalidValue",
  },
  {
    what: "a lone surrogate in JSON",
    model: "Scalar",
    operation: "create",
    args: { data: { json: ["\ud800"] } },
    status: 400,
    code: "InvalidValue",
  },
  {
    what: "a year before PostgreSQL's first",
    model: "Scalar",
    operation: "create",
    args: { data: { dateTime: new Date("-005000-01-01T00:00:00Z") } },
    status: 400,
    code: "InvalidValue",
  },
  {
    what: "a lone backslash at the end of a pattern",
    model: "Author",
    operation: "findMany",
    args: { where: { email: { endsWith: "\\" } } },
    status: 400,
    code: "InvalidValue",
  },
  {
    what: "a check constraint",
    model: "Scalar",
    operation: "create",
    args: { data: { int: -1 } },
    status: 409,
    code: "CheckConstraint",
  },
  {
    what: "an exclusion constraint",
    model: "Scalar",
    operation: "createMany",
    args: { data: [{ float: 1.5 }, { float: 1.5 }] },
    status: 409,
    code: "ExclusionConstraint",
  },
  {
    what: "an exception of a trigger",
    model: "Country",
    operation: "create",
    args: { data: { code: "c", number: 1 } },
    status: 400,
    code: "RejectedByDatabase",
  },
  {
    what: "an unknown enum value",
    model: "Scalar",
    operation: "create",
    args: { data: { stage: "NONE" } },
    status: 500,
    code: "InvalidArguments",
  },
  {
    what: "an unknown field",
    model: "Scalar",
    operation: "findMany",
    args: { where: { nothing: 1 } },
    status: 500,
    code: "InvalidArguments",
  },
  { what: "a missing view", model: "Summary", operation: "findMany", args: {}, status: 500, code: "SchemaMismatch" },
];

describe("C17 C62 the response to", () => {
  it.each(cases)("$what is $status $code", async ({ model, operation, args, status, code, paths }) => {
    const delegate = kinds.database.of(model);
    const call: (args: never) => Promise<unknown> = delegate[operation];
    const error: unknown = await call(args as never).then(
      () => expect.fail("it was accepted"),
      (reason: unknown) => reason,
    );
    if (!isHttpError(error)) throw error;
    // A 4xx has a place, the complete body if the database gives none; a 5xx is for the log.
    const places = paths ?? (status < 500 ? [""] : undefined);
    expect([error.status, error.code, error.errors?.map(({ path }) => path)]).toEqual([status, code, places]);
    const issues = error.errors?.map(({ path, message }) => [path, message]) ?? [];
    const reported = JSON.stringify([status < 500 ? error.message : "", issues, error.headers ?? {}]);
    expect(reported).not.toMatch(/prisma|P\d{4}|constraint|_key|_pkey|secret|password|people/i);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("a unique index outside the schema names no field", async () => {
    const { database } = kinds;
    const note = { authorId: 2, articleId: 1n };
    await database.of("Note").create({ data: { ...note, text: "Once" } });
    await expect(database.of("Note").create({ data: { ...note, text: "ONCE" } })).rejects.toMatchObject({
      status: 409,
      code: "UniqueConstraint",
      errors: [{ in: "body", path: "" }],
    });
  });
});
