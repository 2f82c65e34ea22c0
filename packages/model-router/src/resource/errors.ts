import { defineErrors } from "@servicekit/core";

/** The errors of generated routes only. */
export const modelErrors = defineErrors({
  MissingFilter: {
    status: 400,
    message: "This changes many rows: select them by a filter in the query or by a list in the body.",
    place: { in: "query", path: "" },
  },
  NotDeleted: { status: 409, message: "The record is not deleted.", place: { in: "params", path: "/id" } },
  RowDeleted: { status: 409, message: "The record is deleted.", place: { in: "params", path: "/id" } },
  HookError: { status: 500, message: "A hook returned something that cannot be executed." },
  DatabaseBusy: { status: 503, message: "Too many expensive queries are queued. Retry." },
  BulkTooLarge: { status: 413, message: "Too many items in one request.", place: { in: "body", path: "" } },
  ExportTooLarge: { status: 400, message: "The export has too many rows.", place: { in: "query", path: "" } },
});
