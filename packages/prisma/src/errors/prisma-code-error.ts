import type { HttpError } from "@servicekit/core";
import { isHidden } from "../models/is-hidden.js";
import { argumentsError } from "./arguments-error.js";
import type { DatabaseFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { foreignKeyError } from "./foreign-key-error.js";
import { ormErrors } from "./orm-errors.js";
import { unavailable } from "./unavailable.js";
import { uniqueError } from "./unique-error.js";

type Make = (failure: DatabaseFailure, context: ErrorContext, cause: unknown) => HttpError;

const invalidInput: Make = ({ message }, context, cause) =>
  argumentsError(cause instanceof Error ? cause : new Error(message), context);
const unreachable: Make = (_failure, _context, cause) => unavailable(cause);
const schemaMismatch: Make = (_failure, _context, cause) => ormErrors.SchemaMismatch(undefined, { cause });
const databaseError: Make = ({ message }, _context, cause) => ormErrors.DatabaseError(message, { cause });

const byCode: Readonly<Record<string, Make>> = {
  P1000: unreachable,
  P1001: unreachable,
  P1002: (_failure, _context, cause) => ormErrors.DatabaseTimeout(undefined, { cause }),
  P1003: unreachable,
  P1008: (_failure, _context, cause) => ormErrors.DatabaseTimeout(undefined, { cause }),
  P1009: databaseError,
  P1010: unreachable,
  P1011: unreachable,
  P1017: unreachable,
  P1018: databaseError,
  P2000: (_failure, _context, cause) => ormErrors.ValueTooLong(undefined, { cause }),
  P2002: uniqueError,
  P2003: foreignKeyError,
  P2007: (_failure, _context, cause) => ormErrors.InvalidValue(undefined, { cause }),
  P2009: invalidInput,
  P2011: (_failure, _context, cause) => ormErrors.RequiredValue(undefined, { cause }),
  P2012: invalidInput,
  P2013: invalidInput,
  P2014: (_failure, _context, cause) => ormErrors.RelationConstraint(undefined, { cause }),
  P2015: missingRelated,
  P2017: (_failure, _context, cause) => ormErrors.RecordsNotConnected(undefined, { cause }),
  P2018: missingRelated,
  P2019: invalidInput,
  P2020: (_failure, _context, cause) => ormErrors.ValueOutOfRange(undefined, { cause }),
  P2021: schemaMismatch,
  P2022: schemaMismatch,
  P2023: databaseError,
  P2025: missingRecord,
  P2028: transactionError,
  P2029: (_failure, _context, cause) => ormErrors.QueryTooLarge(undefined, { cause }),
  P2030: databaseError,
  P2034: (_failure, _context, cause) => ormErrors.WriteConflict(undefined, { cause }),
  P2036: databaseError,
  P2037: unreachable,
  P2038: databaseError,
};

/** Connection failures in the driver's terms; a raw query has no more details. */
const byKind: Readonly<Record<string, Make>> = {
  ConnectionClosed: unreachable,
  DatabaseNotReachable: unreachable,
  SocketTimeout: (_failure, _context, cause) => ormErrors.DatabaseTimeout(undefined, { cause }),
  TlsConnectionError: unreachable,
};

/** The response to one of Prisma's codes; `undefined` for an unknown one. */
export function prismaCodeError(
  failure: DatabaseFailure,
  context: ErrorContext,
  cause: unknown,
): HttpError | undefined {
  const { code = "", kind = "" } = failure;
  const make = Object.hasOwn(byCode, code) ? byCode[code] : Object.hasOwn(byKind, kind) ? byKind[kind] : undefined;
  return make?.(failure, context, cause);
}

/**
 * P2025 is used for the row itself (404) and for a row that a nested write needs (400); only the second has a relation.
 */
function missingRecord(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError {
  const { meta } = failure;
  if (!("relation" in meta) && !("expectedRows" in meta)) return ormErrors.NotFound(undefined, { cause });
  return missingRelated(failure, context, cause);
}

/** Names the relation field, if it can be derived from the relation's name. */
function missingRelated({ meta }: DatabaseFailure, { model }: ErrorContext, cause: unknown): HttpError {
  const fields = (model?.fields ?? []).filter(
    (field) => field.kind === "relation" && field.relation.name === meta.relation && !isHidden(field),
  );
  const [field] = fields;
  if (field === undefined || fields.length > 1) return ormErrors.RelatedRecordNotFound(undefined, { cause });
  const message = "This record does not exist.";
  const errors = [{ in: "body", path: `/${field.name}`, code: "RelatedRecordNotFound", message }] as const;
  return ormErrors.RelatedRecordNotFound(undefined, { cause, errors });
}

/**
 * P2028 is used for a transaction without a connection in time (503), for one that was aborted, as when the client
 * disconnects (503), and for one that took too long (504).
 */
function transactionError({ message }: DatabaseFailure, _context: ErrorContext, cause: unknown): HttpError {
  if (/unable to start/i.test(message)) return unavailable(cause, "No database connection is free.");
  if (/not found|rolled back/i.test(message))
    return unavailable(cause, "The transaction was aborted by the database server.");
  if (/expired|timeout/i.test(message)) return ormErrors.DatabaseTimeout(undefined, { cause });
  return ormErrors.DatabaseError(message, { cause });
}
