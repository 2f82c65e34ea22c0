import { expect, it } from "vitest";
import type { Model } from "../models/model.js";
import { toHttpError } from "./to-http-error.js";

const field = (name: string, column = name) => ({ kind: "scalar", name, column, isId: false, annotations: {} });
const note = {
  name: "Note",
  resource: "note",
  table: "Note",
  fields: [field("title", "the title"), field("area")],
  uniqueKeys: [
    { name: "id", constraint: "Note_pkey", fields: [field("id")] },
    { name: "title", constraint: "Note_the title_key", fields: [field("title", "the title")] },
  ],
} as unknown as Model;

function responseTo(originalCode: number, originalMessage: string, exposeRaisedMessages = false): string {
  const cause = { kind: "mysql", code: originalCode, message: originalMessage, state: "HY000", originalMessage };
  const error = Object.assign(new Error("x", { cause: { ...cause, originalCode: `${originalCode}` } }), {
    name: "DriverAdapterError",
  });
  const { status, code, message, errors } = toHttpError(error, {
    operation: "create",
    model: note,
    exposeRaisedMessages,
  });
  return [status, code, errors?.map(({ path }) => path).join() ?? "", exposeRaisedMessages ? message : ""]
    .join(" ")
    .trim();
}

it.each([
  [1062, "Duplicate entry 'it''s for key 'x'' for key 'Note_the title_key'", "409 UniqueConstraint /title"],
  [1062, "Duplicate entry '1' for key 'Note.Note_the title_key'", "409 UniqueConstraint /title"],
  [1062, "Duplicate entry '1' for key 'PRIMARY'", "409 UniqueConstraint /id"],
  [1048, "Column 'title' cannot be null", "400 RequiredValue"],
  [1364, "Field 'title' doesn't have a default value", "400 RequiredValue"],
  [1406, "Data too long for column 'title' at row 1", "400 ValueTooLong"],
  [1264, "Out of range value for column 'pages' at row 1", "400 ValueOutOfRange"],
  [1690, "BIGINT value is out of range in '(`a` + 1)'", "400 ValueOutOfRange"],
  [1366, "Incorrect string value", "400 InvalidValue"],
  [3819, "Check constraint 'positive' is violated.", "409 CheckConstraint"],
  [4025, "CONSTRAINT `positive` failed for `shop`.`Note`", "409 CheckConstraint"],
  [1906, "The value specified for generated column 'area' in table 'Note' has been ignored", "400 InvalidValue /area"],
  [3105, "The value specified for generated column 'area' in table 'Note' is not allowed.", "400 InvalidValue /area"],
  [1213, "Deadlock found when trying to get lock; try restarting transaction", "409 WriteConflict"],
  [1020, "Record has changed since last read in table 'Note'", "409 WriteConflict"],
  [1205, "Lock wait timeout exceeded; try restarting transaction", "504 DatabaseTimeout"],
  [1969, "Query execution was interrupted (max_statement_time exceeded)", "504 DatabaseTimeout"],
  [3024, "Query execution was interrupted, maximum statement execution time exceeded", "504 DatabaseTimeout"],
  [45_028, "pool timeout: failed to retrieve a connection from pool", "503 DatabaseUnavailable"],
  [45_009, "socket has unexpectedly been closed", "503 DatabaseUnavailable"],
  [-104, "read ECONNRESET", "503 DatabaseUnavailable"],
  [1040, "Too many connections", "503 DatabaseUnavailable"],
  [1290, "The MariaDB server is running with the --read-only option", "503 DatabaseUnavailable"],
  [1146, "Table 'shop.Note' doesn't exist", "500 SchemaMismatch"],
  [1142, "INSERT command denied to user", "500 DatabaseError"],
])("C119 %d %s", (code, message, expected) => {
  expect(responseTo(code, message)).toBe(expected);
});

it("C119 contains the message of SIGNAL only if it is exposed", () => {
  expect(responseTo(1644, "The limit is 5.")).toBe("400 RejectedByDatabase");
  expect(responseTo(1644, "The limit is 5.", true)).toContain("The limit is 5.");
});
