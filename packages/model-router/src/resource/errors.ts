import { defineErrors } from "@servicekit/core";

/** The errors that only generated routes have. */
export const modelErrors = defineErrors({
  MissingFilter: {
    status: 400,
    message: "This changes many rows at once: say which, by a filter in the query or by a list in the body.",
    place: { in: "query", path: "" },
  },
  HookFault: { status: 500, message: "A hook left what cannot be carried out." },
  DatabaseBusy: { status: 503, message: "Too many dear queries wait for the database; try again." },
  BulkTooLarge: { status: 413, message: "Too many items in one request.", place: { in: "body", path: "" } },
});
