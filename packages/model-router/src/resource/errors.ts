import { defineErrors } from "@servicekit/core";

/** The errors of generated routes only. */
export const modelErrors = defineErrors({
  MissingFilter: {
    status: 400,
    message: "This changes many rows: select them by a filter in the query or by a list in the body.",
    place: { in: "query", path: "" },
  },
  HookError: { status: 500, message: "A hook returned something that cannot be executed." },
  DatabaseBusy: { status: 503, message: "Too many expensive queries are queued. Retry." },
  BulkTooLarge: { status: 413, message: "Too many items in one request.", place: { in: "body", path: "" } },
});
