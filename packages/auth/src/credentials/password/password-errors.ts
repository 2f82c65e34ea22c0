import { defineErrors } from "@servicekit/core";

/** What can go wrong in hashing passwords. */
export const passwordErrors = defineErrors({
  TooManyPasswords: { status: 503, message: "Too many passwords wait to be checked." },
});
