import { describe, expect, it } from "vitest";
import { kindsModels } from "../../test/kinds-models.js";
import type { Model } from "../models/model.js";
import { brokenRule } from "./unique-error.js";

const modelOf = (name: string): Model => kindsModels.get(name) ?? expect.fail(name);
const context = { model: modelOf("Article"), models: kindsModels };

/** An error of Prisma Client with a cause of its driver. */
const prismaError = (code: string, cause: object, modelName?: string): Error =>
  Object.assign(new Error("failed"), {
    name: "PrismaClientKnownRequestError",
    ...{ code, meta: { modelName, driverAdapterError: { cause } } },
  });
const driverError = (cause: object): Error => Object.assign(new Error("failed"), { name: "DriverAdapterError", cause });

describe("C57 the subject of a rejected write", () => {
  it.each<readonly [string, Error, string, string]>([
    [
      "a constraint by its name",
      driverError({ kind: "postgres", code: "23505", constraint: { index: "one_title_each" } }),
      "Article",
      "Another article has the same authorId and title.",
    ],
    [
      "the columns of a constraint, in any order",
      prismaError("P2002", { constraint: { fields: ["slug", "language"] } }),
      "Article",
      "Another article has the same language and slug.",
    ],
    [
      "a constraint of another model",
      prismaError("P2002", { constraint: { index: "people_email_address_key" } }),
      "Author",
      "Another author has the same email.",
    ],
    [
      "a constraint of several models, by the failed one",
      prismaError("P2002", { constraint: { index: "PRIMARY" } }, "Posting"),
      "Posting",
      "Another posting has the same authorId and articleId.",
    ],
    [
      "the primary key of the written model",
      driverError({ kind: "mysql", code: 1062, constraint: { index: "PRIMARY" } }),
      "Article",
      "Another article has the same id.",
    ],
  ])("is found by %s", (_case, error, model, message) => {
    expect(brokenRule(error, context)).toEqual({ model: modelOf(model), message });
  });

  it("has no message about hidden fields", () => {
    const error = prismaError("P2002", { constraint: { index: "people_secret_key" } });
    expect(brokenRule(error, context)).toEqual({ model: modelOf("Author"), message: undefined });
  });

  it("is the failed model alone for unknown constraints and other errors", () => {
    const unknown = prismaError("P2002", { constraint: { fields: ["language"] } }, "Tag");
    expect(brokenRule(unknown, context)).toEqual({ model: modelOf("Tag"), message: undefined });
    const foreign = prismaError("P2003", { constraint: { index: "one_title_each" } }, "Tag");
    expect(brokenRule(foreign, context)).toEqual({ model: modelOf("Tag"), message: undefined });
    expect(brokenRule(prismaError("P2003", {}), context)).toEqual({ model: undefined, message: undefined });
  });

  it("is unknown for errors of another origin", () => {
    expect(brokenRule(new Error("x"), context)).toBeUndefined();
    expect(brokenRule(undefined, context)).toBeUndefined();
  });
});
