import { defineErrors, type HttpError } from "@servicekit/core";

const place = { in: "headers", path: "/idempotency-key" } as const;

/** The errors of requests with an idempotency key (contract C49). */
export const idempotencyErrors = defineErrors({
  InvalidIdempotencyKey: {
    status: 400,
    message: "An Idempotency-Key has 1 to 255 ASCII characters without blanks. Use a UUID.",
    place,
  },
  IdempotencyKeyOfForm: {
    status: 400,
    message:
      "A form with files cannot have an Idempotency-Key, because files are not compared. Send it without the header.",
    place,
  },
  IdempotencyKeyReused: {
    status: 422,
    message: "This Idempotency-Key was used for a different request or with different permissions. Use a new one.",
    place,
  },
  RequestInProgress: { status: 409, message: "The first request with this Idempotency-Key is still running." },
  ResponseNotStored: {
    status: 409,
    message:
      "The request with this Idempotency-Key was executed and is not executed again. Its response was not stored: it was too long, it contained a secret, or the client had stored too many.",
    place,
  },
  IdempotencyUnavailable: { status: 503, message: "The store of idempotency keys is unavailable." },
});

/** Seconds to wait before a retry. */
const patience = { headers: { "Retry-After": "1" } };

/** Another request with the key is running. */
export const inProgress = (): HttpError => idempotencyErrors.RequestInProgress(undefined, patience);
