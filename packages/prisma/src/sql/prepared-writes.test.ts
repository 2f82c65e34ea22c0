import fc from "fast-check";
import { expect, it } from "vitest";
import { kindsModels as models } from "../../test/kinds-models.js";
import { storedFields } from "../models/is-stored.js";
import type { Model } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import { notFoldable } from "./not-foldable.js";
import { type CompiledWrite, PreparedWrites } from "./prepared-writes.js";
import { Statement } from "./statement.js";

const modelOf = (name: string): Model => models.get(name) ?? expect.fail(name);
const selectOf = (name: string, more: readonly string[] = []): Clause => {
  const stored = storedFields(modelOf(name));
  const names = more.length > 0 ? more : stored.map((field) => field.name);
  return Object.freeze(Object.fromEntries(names.map((one) => [one, true])));
};
const open = () => new Statement(models, "public");
const now = new Date("2025-01-01T00:00:00Z");

const foldOf = (fold: () => CompiledWrite): unknown => {
  try {
    return fold();
  } catch (error) {
    expect(error).toBe(notFoldable);
    return "by Prisma";
  }
};

const selects = [selectOf("Author"), selectOf("Author", ["id", "email"]), selectOf("Seat"), selectOf("Country")];
const text = fc.constantFrom("", "a", "b", "\ud800");
const number = fc.constantFrom(1, 2, -1, 2 ** 40, null);
const optional = <T>(values: Record<string, fc.Arbitrary<T>>) => fc.record(values, { requiredKeys: [] });
const author = fc.record({
  model: fc.constant("Author"),
  data: optional<unknown>({ karma: number, email: text, secret: fc.option(text), managerId: number, password: text }),
  where: fc.oneof(
    fc.record({ id: number }),
    fc.record({ email: text }),
    fc.record({ secret: fc.option(text) }),
    fc.record({ id: number, AND: fc.constant([{ karma: { gt: 1 } }]) }),
    fc.record({ id: fc.constant({ in: [1] }), email: text }),
  ),
});
const seat = fc.record({
  model: fc.constant("Seat"),
  data: optional<unknown>({ row: number, note: fc.option(text) }),
  where: fc.oneof(
    fc.record({ position: fc.record({ row: number, column: number }) }),
    fc.record({ row_note: fc.record({ row: number, note: fc.option(text) }) }),
    fc.record({ position: fc.record({ row: number }) }),
  ),
});

it("C71 a cached write equals a newly compiled one", () => {
  const writes = fc.array(
    fc.tuple(fc.oneof(author, seat), fc.constantFrom(...selects), fc.constantFrom("create", "update", "delete")),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(writes, (drawn) => {
      const cached = new PreparedWrites(open);
      for (const [{ model: name, data, where }, select, act] of drawn) {
        const model = modelOf(name);
        const fold = (writes: PreparedWrites) => () => {
          if (act === "create") return writes.create(model, { data, select }, now);
          if (act === "update") return writes.update(model, { where, data, select }, now);
          return writes.delete(model, { where, select });
        };
        expect(foldOf(fold(cached))).toEqual(foldOf(fold(new PreparedWrites(open))));
      }
    }),
  );
});

it("C71 does not reuse a statement for a key that SQL cannot compare", () => {
  const cached = new PreparedWrites(open);
  const select = selectOf("Seat");
  const remove = (row: number) => () =>
    cached.delete(modelOf("Seat"), { where: { position: { row, column: 1 } }, select });
  expect(foldOf(remove(1))).not.toBe("by Prisma");
  expect(foldOf(remove(2 ** 40))).toBe("by Prisma");
});

it("C71 values and the order of a body share one statement, another set of fields does not", () => {
  const cached = new PreparedWrites(open);
  const select = selectOf("Author");
  const update = (where: Clause, data: Clause) =>
    cached.update(modelOf("Author"), { where, data, select }, now).statement;
  const first = update({ id: 1 }, { karma: 1, email: "a" });
  expect(update({ id: 2 }, { email: "b", karma: 2 })).toBe(first);
  expect(update({ id: 1 }, { karma: 1 }).sql).not.toBe(first.sql);
  expect(update({ email: "a" }, { karma: 1, email: "a" }).sql).not.toBe(first.sql);
});

it("C71 caches a limited number of statements, and none of a mutable selection", () => {
  const cached = new PreparedWrites(open);
  const names = modelOf("Wide").fields.flatMap(({ name }) => (name === "id" ? [] : [name]));
  const update = (select: Clause, data: Clause) =>
    cached.update(modelOf("Wide"), { where: { id: 1 }, data, select }, now).statement;
  const select = selectOf("Wide");
  const one = { [names[0] ?? ""]: 1 };
  const first = update(select, one);
  const fewer = (count: number) => {
    for (let index = 0; index < count; index++)
      update(select, { [names[index % 50] ?? ""]: 1, [index < 50 ? "c58" : "c59"]: 1 });
  };
  fewer(50);
  expect(update(select, one)).toBe(first);
  fewer(100);
  expect(update(select, one)).not.toBe(first);
  const changeable = { id: true };
  expect(update(changeable, one)).not.toBe(update(changeable, one));
});
