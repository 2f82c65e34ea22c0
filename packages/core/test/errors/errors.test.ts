import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { defineErrors, HttpError, httpErrors, isHttpError, StartupError, toProblemBody } from "../../src/index.js";
import { fieldCode, nearestWord } from "../../src/internal.js";

it("prints the issues of an uncaught StartupError once, without a stack", () => {
  const error = new StartupError([{ where: "port", message: "expected a number." }]);
  expect(error.stack).toBe(error.message);
  expect(inspect(error)).toBe("[The service cannot start (1 error):\n  - port: expected a number.]");
  expect([error.name, error.issues]).toEqual(["StartupError", [{ where: "port", message: "expected a number." }]]);
  expect(Error.stackTraceLimit).toBeGreaterThan(0);
});

describe("HttpError", () => {
  it("omits its stack if requested, and only its own", () => {
    const limit = Error.stackTraceLimit;
    const bare = httpErrors.NotFound("Nothing.", { stack: false });
    expect([bare.stack, bare.message, bare instanceof Error]).toEqual(["HttpError: Nothing.", "Nothing.", true]);
    expect(Error.stackTraceLimit).toBe(limit);
    for (const error of [httpErrors.NotFound(), new HttpError(404, "NotFound", "x"), new Error("x")]) {
      expect(error.stack).toContain("errors.test");
    }
  });

  it("is recognized by its brand, also when another copy of the package created it", () => {
    const foreign = Object.defineProperty(new Error("x"), Symbol.for("servicekit.HttpError"), { value: true });
    expect(isHttpError(new HttpError(404, "NotFound", "x"))).toBe(true);
    expect(isHttpError(foreign)).toBe(true);
    for (const value of [new Error("x"), null, undefined, "x", {}, { status: 404, code: "NotFound" }]) {
      expect(isHttpError(value)).toBe(false);
    }
  });

  it("has its cause for the log only", () => {
    const cause = new Error("secret");
    const error = httpErrors.Conflict("Taken.", { cause });
    expect(error.cause).toBe(cause);
    expect(JSON.stringify(toProblemBody(error, { instance: "/" }))).not.toContain("secret");
  });
});

describe("defineErrors", () => {
  it("creates errors with the table's status, code and message", () => {
    const { OutOfStock } = defineErrors({ OutOfStock: { status: 409, message: "None left." } });
    expect(OutOfStock()).toMatchObject({ status: 409, code: "OutOfStock", message: "None left." });
    expect(OutOfStock("Two left.").message).toBe("Two left.");
  });

  it("rejects codes and statuses that are invalid", () => {
    expect(() => defineErrors({ out_of_stock: { status: 409, message: "" } })).toThrow(/not UpperCamelCase/);
    expect(() => defineErrors({ Fine: { status: 200, message: "" } })).toThrow(/expected 400 to 599/);
  });
});

describe("C3 the problem body", () => {
  it("contains the message and the issues of a 4xx", () => {
    const errors = [{ in: "body", path: "/email", code: "UniqueConstraint", message: "Taken." }] as const;
    const body = toProblemBody(httpErrors.Conflict("Taken.", { errors }), { instance: "/api/users", requestId: "r" });
    expect(body).toEqual({
      type: "https://servicekit.github.io/servicekit/errors#conflict",
      title: "Conflict",
      status: 409,
      detail: "Taken.",
      instance: "/api/users",
      code: "Conflict",
      requestId: "r",
      errors,
    });
  });

  it("links to the page of its code, if the code is documented", () => {
    const typeOf = (code: string) => toProblemBody(new HttpError(400, code, "x"), { instance: "/" }).type;
    expect(typeOf("UniqueConstraint")).toBe("https://servicekit.github.io/servicekit/errors#uniqueconstraint");
    expect(typeOf("OutOfStock")).toBe("about:blank");
  });

  it.each([
    ["unrecognized_keys", "UnknownField"],
    ["too_small", "TooSmall"],
    ["isEmail", "IsEmail"],
    ["too-deep", "TooDeep"],
    ["custom", "InvalidValue"],
    ["constructor", "Constructor"],
    ["_", "InvalidValue"],
  ])("reports %s of a library as %s", (word, code) => expect(fieldCode(word)).toBe(code));

  it("hides the message and the issues of every 5xx", () => {
    for (const status of [500, 501, 502, 503, 504, 507, 599]) {
      const errors = [{ in: "body", path: "/x", code: "secret", message: "secret" }] as const;
      const body = toProblemBody(new HttpError(status, "Broken", "secret", { errors }), { instance: "/" });
      expect(JSON.stringify(body)).not.toContain("secret");
      expect(body.detail).not.toBe("");
    }
  });
});

it("StartupError lists all issues", () => {
  const error = new StartupError([
    { where: "port", message: "must be a number." },
    { where: "host", message: "is empty." },
  ]);
  expect(error.message).toBe("The service cannot start (2 errors):\n  - port: must be a number.\n  - host: is empty.");
});

it("nearestWord finds the intended word, and none if nothing is near", () => {
  const known = ["createOne", "findMany", "deleteMany"];
  expect(nearestWord("findMnay", known)).toBe("findMany");
  expect(nearestWord("createone", known)).toBe("createOne");
  expect(nearestWord("zebra", known)).toBeUndefined();
  expect(nearestWord("", ["id"])).toBeUndefined();
  expect(nearestWord("x", ["id"])).toBeUndefined();
  expect(nearestWord("x".repeat(100_000), known)).toBeUndefined();
});

it("lists equal startup errors once, such as one error of several routes", () => {
  const one = { where: "models.Post.auth", message: "Unknown role EDITR." };
  const error = new StartupError([one, { where: "port", message: "expected a number." }, { ...one }]);
  expect(error.issues).toEqual([one, { where: "port", message: "expected a number." }]);
  expect(error.message).toContain("(2 errors)");
});
