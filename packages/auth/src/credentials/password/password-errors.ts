import { defineErrors } from "@servicekit/core";

/** The errors of password hashing. */
export const passwordErrors = defineErrors({
  TooManyPasswords: { status: 503, message: "Too many passwords are queued for checking." },
});
