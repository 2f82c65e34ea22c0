import { defineErrors, type HttpError } from "@servicekit/core";

const place = { in: "headers", path: "/idempotency-key" } as const;

/** What can go wrong with a request that may be repeated (contract C49). */
export const idempotencyErrors = defineErrors({
  InvalidIdempotencyKey: {
    status: 400,
    message: "An Idempotency-Key has 1 to 255 characters of ASCII, without blanks; take a UUID.",
    place,
  },
  IdempotencyKeyOfForm: {
    status: 400,
    message: "A form with files takes no Idempotency-Key: its files are not compared. Send it without the header.",
    place,
  },
  IdempotencyKeyReused: {
    status: 422,
    message: "This Idempotency-Key was used for another request, or with other rights; take a new one.",
    place,
  },
  RequestInProgress: { status: 409, message: "The first request with this Idempotency-Key is still at work." },
  AnswerNotKept: {
    status: 409,
    message:
      "The request with this Idempotency-Key was carried out, and is not carried out again. Its answer was not kept: it was too long, or the client had stored too many.",
    place,
  },
  IdempotencyUnavailable: { status: 503, message: "The store of idempotency keys is not available." },
});

/** Seconds until it is worth asking again. */
const patience = { headers: { "Retry-After": "1" } };

/** Somebody else carries the request out at this moment. */
export const inProgress = (): HttpError => idempotencyErrors.RequestInProgress(undefined, patience);
