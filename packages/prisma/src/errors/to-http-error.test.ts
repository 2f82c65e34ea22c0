import {
  PrismaClientInitializationError,
  PrismaClientKnownRequestError,
  PrismaClientUnknownRequestError,
  PrismaClientValidationError,
} from "@prisma/client/runtime/client";
import { httpErrors, isHttpError } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import type { Model } from "../models/model.js";
import { toHttpError } from "./to-http-error.js";

const clientVersion = "7.10.0";
const known = (code: string, meta: Record<string, unknown> = {}, message = "the library's text") =>
  new PrismaClientKnownRequestError(message, { code, clientVersion, meta });
const driver = (sqlState: string, code = "P2039") =>
  known(code, {
    driverAdapterError: {
      name: "DriverAdapterError",
      cause: { kind: "postgres", code: sqlState, originalCode: sqlState },
    },
  });
const reported = (error: unknown, operation: "read" | "create" | "update" | "delete" = "create"): string => {
  const response = toHttpError(error, { operation });
  if (!isHttpError(response)) return "none";
  expect(response.cause).toBe(error);
  expect(response.headers?.["Retry-After"] !== undefined).toBe(response.status === 503);
  expect(response.message).not.toMatch(/library|P\d{4}/);
  return `${response.status} ${response.code}`;
};

describe("C17 a code of Prisma", () => {
  it.each([
    ["P1000", "503 DatabaseUnavailable"],
    ["P1001", "503 DatabaseUnavailable"],
    ["P1002", "504 DatabaseTimeout"],
    ["P1003", "503 DatabaseUnavailable"],
    ["P1008", "504 DatabaseTimeout"],
    ["P1009", "500 DatabaseError"],
    ["P1010", "503 DatabaseUnavailable"],
    ["P1011", "503 DatabaseUnavailable"],
    ["P1017", "503 DatabaseUnavailable"],
    ["P1018", "500 DatabaseError"],
    ["P2000", "400 ValueTooLong"],
    ["P2002", "409 UniqueConstraint"],
    ["P2003", "400 RelatedRecordNotFound"],
    ["P2007", "400 InvalidValue"],
    ["P2009", "500 InvalidArguments"],
    ["P2011", "400 RequiredValue"],
    ["P2012", "500 InvalidArguments"],
    ["P2013", "500 InvalidArguments"],
    ["P2014", "409 RelationConstraint"],
    ["P2015", "400 RelatedRecordNotFound"],
    ["P2017", "409 RecordsNotConnected"],
    ["P2018", "400 RelatedRecordNotFound"],
    ["P2019", "500 InvalidArguments"],
    ["P2020", "400 ValueOutOfRange"],
    ["P2021", "500 SchemaMismatch"],
    ["P2022", "500 SchemaMismatch"],
    ["P2023", "500 DatabaseError"],
    ["P2025", "404 NotFound"],
    ["P2028", "500 DatabaseError"],
    ["P2029", "400 QueryTooLarge"],
    ["P2030", "500 DatabaseError"],
    ["P2034", "409 WriteConflict"],
    ["P2036", "500 DatabaseError"],
    ["P2037", "503 DatabaseUnavailable"],
    ["P2038", "500 DatabaseError"],
  ])("%s is %s", (code, expected) => {
    if (expected.startsWith("500")) {
      expect(toHttpError(known(code), { operation: "create" })).toMatchObject({ status: 500 });
    } else expect(reported(known(code))).toBe(expected);
  });

  it("C62 of invalid arguments is a bug of their author, and its message is for the log", () => {
    expect(toHttpError(known("P2009"), { operation: "read" })).toMatchObject({ status: 500, code: "InvalidArguments" });
  });

  it("P2003 of a delete is ForeignKeyConstraint", () => {
    expect(reported(known("P2003"), "delete")).toBe("409 ForeignKeyConstraint");
  });

  it.each([
    ["Transaction API error: Unable to start a transaction in the given time.", "503 DatabaseUnavailable"],
    [
      "Transaction already closed: A query cannot be executed on a transaction that was rolled back.",
      "503 DatabaseUnavailable",
    ],
    [
      "Transaction not found. Transaction ID is invalid, refers to an old closed transaction.",
      "503 DatabaseUnavailable",
    ],
    ["Transaction already closed: A query cannot be executed on a committed transaction.", "500 DatabaseError"],
    ["A commit cannot be executed on an expired transaction. The timeout was 5 ms.", "504 DatabaseTimeout"],
  ])("P2028 %s", (message, expected) => {
    expect(reported(known("P2028", {}, message))).toBe(expected);
  });

  it("at the start of the client is the same", () => {
    expect(reported(new PrismaClientInitializationError("the library's text", clientVersion, "P1001"))).toBe(
      "503 DatabaseUnavailable",
    );
  });
});

describe.each(["P2039", "P2010"])("C17 a code of PostgreSQL in %s", (code) => {
  it.each([
    ["08006", "503 DatabaseUnavailable"],
    ["22001", "400 ValueTooLong"],
    ["22003", "400 ValueOutOfRange"],
    ["22007", "400 InvalidValue"],
    ["22008", "400 InvalidValue"],
    ["22009", "400 InvalidValue"],
    ["22021", "400 InvalidValue"],
    ["22025", "400 InvalidValue"],
    ["22P02", "400 InvalidValue"],
    ["22P05", "400 InvalidValue"],
    ["23001", "409 ForeignKeyConstraint"],
    ["23502", "400 RequiredValue"],
    ["23503", "400 RelatedRecordNotFound"],
    ["23505", "409 UniqueConstraint"],
    ["23514", "409 CheckConstraint"],
    ["23P01", "409 ExclusionConstraint"],
    ["23000", "409 CheckConstraint"],
    ["25006", "503 DatabaseUnavailable"],
    ["25P03", "503 DatabaseUnavailable"],
    ["25P04", "503 DatabaseUnavailable"],
    ["28000", "503 DatabaseUnavailable"],
    ["28P01", "503 DatabaseUnavailable"],
    ["3D000", "503 DatabaseUnavailable"],
    ["40001", "409 WriteConflict"],
    ["40P01", "409 WriteConflict"],
    ["53100", "503 DatabaseUnavailable"],
    ["53200", "503 DatabaseUnavailable"],
    ["53300", "503 DatabaseUnavailable"],
    ["53400", "503 DatabaseUnavailable"],
    ["54001", "400 TooDeep"],
    ["55P03", "503 DatabaseUnavailable"],
    ["57014", "504 DatabaseTimeout"],
    ["57P01", "503 DatabaseUnavailable"],
    ["57P02", "503 DatabaseUnavailable"],
    ["57P03", "503 DatabaseUnavailable"],
    ["P0001", "400 RejectedByDatabase"],
  ])("%s is %s", (sqlState, expected) => {
    expect(reported(driver(sqlState, code))).toBe(expected);
  });

  it.each(["22012", "2201E", "2201F", "2201G"])("%s is 500 in a read, and 400 in a write", (sqlState) => {
    expect(toHttpError(driver(sqlState, code), { operation: "read" })).toMatchObject({ status: 500 });
    expect(toHttpError(driver(sqlState, code), { operation: "create" })).toMatchObject({ status: 400 });
  });

  it.each(["42501", "42P01", "42703"])("%s is 500", (sqlState) => {
    expect(toHttpError(driver(sqlState, code), { operation: "read" })).toMatchObject({ status: 500 });
  });

  it.each(["XX000", "42601", "0A000", "toString"])("%s stays unchanged", (sqlState) => {
    const error = driver(sqlState, code);
    expect(() => toHttpError(error, { operation: "read" })).toThrow(error);
  });
});

describe("C91 rejections by the application's SQL", () => {
  const raised = (sqlState: string, message: string) =>
    known("P2039", {
      driverAdapterError: {
        name: "DriverAdapterError",
        cause: { kind: "postgres", code: sqlState, originalCode: sqlState, originalMessage: message },
      },
    });

  it.each([
    "P0001",
    "P0002",
    "P0003",
    "45000",
    "LIM01",
    "PT402",
    "2F000",
    "38000",
    "39000",
    "21000",
    "20000",
    "0A000",
    "55000",
    "44000",
  ])("returns 400 for a write that ends with %s", (sqlState) => {
    for (const operation of ["create", "update", "delete"] as const)
      expect(reported(driver(sqlState), operation)).toBe("400 RejectedByDatabase");
  });

  it.each(["0A000", "55000", "21000", "42883", "XX001", "F0000", "2D000"])(
    "keeps a read that ends with %s a 500",
    (sqlState) => {
      const error = driver(sqlState);
      expect(() => toHttpError(error, { operation: "read" })).toThrow(error);
    },
  );

  it("contains the message of RAISE only if the application exposes it, and never one of PostgreSQL", () => {
    const message = (sqlState: string, exposeRaisedMessages: boolean): string =>
      toHttpError(raised(sqlState, "The limit is 5."), { operation: "create", exposeRaisedMessages }).message;
    for (const sqlState of ["P0001", "45000", "LIM01"]) {
      expect(message(sqlState, true)).toBe("The limit is 5.");
      expect(message(sqlState, false)).not.toContain("limit");
    }
    for (const sqlState of ["0A000", "23514", "21000"]) expect(message(sqlState, true)).not.toContain("limit");
  });

  it("returns 403 for a row that row-level security rejects, and 500 for a missing privilege", () => {
    const security = raised("42501", 'new row violates row-level security policy for table "Guarded"');
    expect(reported(security)).toBe("403 Forbidden");
    expect(reported(raised("42501", "permission denied for table Guarded"))).toBe("500 DatabaseError");
  });

  it("names the field of a generated column that a body sets", () => {
    const area = { kind: "scalar", name: "area", column: "area_of_it", annotations: {} };
    const model = { name: "Box", fields: [area] } as unknown as Model;
    const error = raised("428C9", 'cannot insert a non-DEFAULT value into column "area_of_it"');
    const { status, errors } = toHttpError(error, { operation: "create", model });
    expect([status, errors?.[0]?.path]).toEqual([400, "/area"]);
  });
});

describe("C17 a plain error of the pool or the connection", () => {
  it.each([
    ["timeout exceeded when trying to connect", "503 DatabaseUnavailable"],
    ["Connection terminated due to connection timeout", "504 DatabaseTimeout"],
    ["Query read timeout", "504 DatabaseTimeout"],
    ["Client has encountered a connection error and is not queryable", "503 DatabaseUnavailable"],
    ["Client was closed and is not queryable", "503 DatabaseUnavailable"],
    ["Connection terminated unexpectedly", "503 DatabaseUnavailable"],
  ])("%s is %s", (message, expected) => {
    expect(reported(new Error(message))).toBe(expected);
  });

  it.each(["EPIPE", "ECONNRESET", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "EMFILE"])(
    "%s is 503",
    (code) => {
      expect(reported(Object.assign(new Error("x"), { code }))).toBe("503 DatabaseUnavailable");
    },
  );

  it("ETIMEDOUT is 504", () => {
    expect(reported(Object.assign(new Error("x"), { code: "ETIMEDOUT" }))).toBe("504 DatabaseTimeout");
  });
});

describe("other errors", () => {
  it("an HttpError passes through", () => {
    const error = httpErrors.Forbidden();
    expect(toHttpError(error, { operation: "read" })).toBe(error);
  });

  it("C62 invalid arguments are 500, and only Prisma's last line is for the log", () => {
    const error = new PrismaClientValidationError("data: { secret }\n\nUnknown argument `titel`.", { clientVersion });
    const { status, code, message } = toHttpError(error, { operation: "read" });
    expect([status, code]).toEqual([500, "InvalidArguments"]);
    expect(message).toBe("Prisma rejects the arguments of a query: Unknown argument `titel`.");
    const deep = new PrismaClientUnknownRequestError("the library's text: recursion limit exceeded", { clientVersion });
    expect(reported(deep)).toBe("400 TooDeep");
  });

  it.each([
    new TypeError("x is not a function"),
    new PrismaClientUnknownRequestError("the library's text", { clientVersion }),
    known("P9999"),
    "a string",
    undefined,
    null,
    { code: "P2002" },
  ])("%s stays unchanged", (error) => {
    let thrown: unknown;
    try {
      toHttpError(error, { operation: "read" });
      expect.fail("it was translated");
    } catch (reason) {
      thrown = reason;
    }
    expect(thrown).toBe(error);
  });
});
