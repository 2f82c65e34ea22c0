import { isHttpError } from "@servicekit/core";
import type { StoredField } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { readDeletedQuery } from "./deleted-parameters.js";

const soft = { deletedField: { name: "deletedAt" } as StoredField };
const hard = { deletedField: undefined };

const issuesOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return isHttpError(error) ? error.errors?.map(({ path, code }) => `${path} ${code}`) : error;
  }
};

describe("C101 the parameters about deleted rows", () => {
  it("are taken out of the query, however they are encoded", () => {
    expect(readDeletedQuery("a=1&deleted=only&b[c]=%26", "findMany", soft)).toEqual({
      ...{ rows: "only", isPermanent: false, rest: "a=1&b[c]=%26" },
    });
    expect(readDeletedQuery("%64eleted=include", "findOne", soft)).toMatchObject({ rows: "include", rest: "" });
    expect(readDeletedQuery("permanent=true", "deleteOne", soft)).toMatchObject({ isPermanent: true, rest: "" });
    expect(readDeletedQuery("permanent=false", "deleteOne", soft)).toMatchObject({ isPermanent: false });
    expect(readDeletedQuery("permanent=true&deleted=only&a=1", "deleteMany", soft)).toEqual({
      ...{ rows: "only", isPermanent: true, rest: "a=1" },
    });
  });

  it("are left to the other readers where they do not exist", () => {
    for (const [search, operation, resource] of [
      ["deleted=only", "findMany", hard],
      ["deleted=only", "updateMany", soft],
      ["deleted=only", "deleteOne", soft],
      ["permanent=true", "findMany", soft],
      ["deleted__equals=true&deleted[not]=x", "findMany", soft],
      ["", "findMany", soft],
    ] as const)
      expect(readDeletedQuery(search, operation, resource), search).toEqual({
        ...{ rows: "exclude", isPermanent: false, rest: search },
      });
  });

  it("name each invalid or repeated value", () => {
    expect(issuesOf(() => readDeletedQuery("deleted=yes", "findMany", soft))).toEqual(["/deleted InvalidValue"]);
    expect(issuesOf(() => readDeletedQuery("deleted", "findMany", soft))).toEqual(["/deleted InvalidValue"]);
    expect(issuesOf(() => readDeletedQuery("deleted=only&deleted=only", "aggregate", soft))).toEqual([
      "/deleted Repeated",
    ]);
    expect(issuesOf(() => readDeletedQuery("permanent=1", "deleteMany", soft))).toEqual(["/permanent InvalidValue"]);
    expect(issuesOf(() => readDeletedQuery("deleted=only&permanent=false", "deleteMany", soft))).toEqual([
      "/deleted Conflict",
    ]);
  });
});
