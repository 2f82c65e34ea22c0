import { defineErrors } from "@servicekit/core";

const body = { in: "body", path: "" } as const;
const query = { in: "query", path: "" } as const;
const params = { in: "params", path: "" } as const;

/** The errors between a request and the database (contract C17). */
export const ormErrors = defineErrors({
  InvalidQuery: { status: 400, message: "The query is not valid.", place: query },
  InvalidValue: { status: 400, message: "A value is invalid.", place: body },
  RequiredValue: { status: 400, message: "A required value is missing.", place: body },
  ValueTooLong: { status: 400, message: "A value is too long.", place: body },
  ValueOutOfRange: { status: 400, message: "A value is out of range.", place: body },
  TooDeep: { status: 400, message: "The request is nested too deeply.", place: body },
  QueryTooLarge: { status: 400, message: "The query has too many values.", place: query },
  ResponseTooLarge: { status: 400, message: "The response would be too large.", place: query },
  RelatedRecordNotFound: { status: 400, message: "A related record does not exist.", place: body },
  RejectedByDatabase: { status: 400, message: "The database rejects this change.", place: body },
  NotFound: { status: 404, message: "The record does not exist.", place: params },
  UniqueConstraint: { status: 409, message: "Another record has the same values.", place: body },
  ForeignKeyConstraint: { status: 409, message: "Other records reference this one.", place: body },
  RelationConstraint: { status: 409, message: "A related record would lose a required relation.", place: body },
  RecordsNotConnected: { status: 409, message: "The records are not connected.", place: body },
  CheckConstraint: { status: 409, message: "The values violate a rule of the database.", place: body },
  ExclusionConstraint: { status: 409, message: "The values conflict with those of another record.", place: body },
  WriteConflict: { status: 409, message: "Another request changed the same records. Retry.", place: body },
  InvalidArguments: { status: 500, message: "Prisma rejects the arguments of a query." },
  DatabaseError: { status: 500, message: "The database failed." },
  SchemaMismatch: {
    status: 500,
    message: "The schema of the database differs from the schema that the service was generated for.",
  },
  DatabaseUnavailable: { status: 503, message: "The database is unavailable." },
  DatabaseTimeout: { status: 504, message: "The database took too long." },
});
