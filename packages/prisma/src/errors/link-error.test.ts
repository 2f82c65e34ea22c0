import { describe, expect, it } from "vitest";
import { linkError, poolError } from "./link-error.js";

const codeOf = (error: { readonly code: string } | undefined): string | undefined => error?.code;
const withCode = (code: string): Error => Object.assign(new Error("failed"), { code });

describe("C17 an error of a connection", () => {
  it.each([
    ["timeout exceeded when trying to connect", "DatabaseUnavailable", "DatabaseUnavailable"],
    ["Connection terminated due to connection timeout", "DatabaseTimeout", "DatabaseTimeout"],
    ["Query read timeout", "DatabaseTimeout", "DatabaseTimeout"],
    ["The server does not support SSL connections", "DatabaseUnavailable", "DatabaseUnavailable"],
    ["Connection terminated unexpectedly", "DatabaseUnavailable", "DatabaseUnavailable"],
    ["a connection timeout of any client", "DatabaseTimeout", undefined],
    ["Client has encountered a connection error and is not queryable", "DatabaseUnavailable", undefined],
    ["Client was closed and is not queryable", "DatabaseUnavailable", undefined],
    ["Client has already been connected", "DatabaseUnavailable", undefined],
    ["another error", undefined, undefined],
  ])("with the message %j is %s, and among errors of any origin %s", (message, ofLink, ofAny) => {
    expect(codeOf(linkError(new Error(message)))).toBe(ofLink);
    expect(codeOf(poolError(new Error(message)))).toBe(ofAny);
  });

  it.each([
    ["ETIMEDOUT", "DatabaseTimeout"],
    ["ECONNREFUSED", "DatabaseUnavailable"],
    ["ENOTFOUND", "DatabaseUnavailable"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "DatabaseUnavailable"],
    ["CERT_HAS_EXPIRED", "DatabaseUnavailable"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "DatabaseUnavailable"],
    ["ENOENT", undefined],
    ["ERR_CERTAIN", undefined],
  ])("with the code %s is %s", (code, expected) => {
    const error = withCode(code);
    expect(codeOf(linkError(error))).toBe(expected);
    expect(linkError(error)?.cause).toBe(expected === undefined ? undefined : error);
    expect(poolError(error)).toBeUndefined();
  });

  it("is none for values that are no errors", () => {
    expect([linkError("ECONNREFUSED"), linkError(undefined), poolError({ message: "Query read timeout" })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
