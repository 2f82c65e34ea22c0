import { defineErrors } from "@servicekit/errors";

/** What can go wrong between a request and the database (contract C17). */
export const ormErrors = defineErrors({
  InvalidQuery: { status: 400, message: "The query is not valid." },
  InvalidBody: { status: 400, message: "The body is not valid." },
  InvalidValue: { status: 400, message: "A value is not valid." },
  RequiredValue: { status: 400, message: "A required value is missing." },
  ValueTooLong: { status: 400, message: "A value is too long." },
  ValueOutOfRange: { status: 400, message: "A value is out of range." },
  TooDeep: { status: 400, message: "The request is nested too deeply." },
  QueryTooLarge: { status: 400, message: "The query has too many values." },
  RelatedRecordNotFound: { status: 400, message: "A related record does not exist." },
  RejectedByDatabase: { status: 400, message: "The database refuses this change." },
  NotFound: { status: 404, message: "There is no such record." },
  UniqueConstraint: { status: 409, message: "Another record has the same values." },
  ForeignKeyConstraint: { status: 409, message: "Other records refer to this one." },
  RelationConstraint: { status: 409, message: "A related record would lose a required relation." },
  RecordsNotConnected: { status: 409, message: "The records are not connected." },
  CheckConstraint: { status: 409, message: "The values break a rule of the database." },
  ExclusionConstraint: { status: 409, message: "The values conflict with those of another record." },
  WriteConflict: { status: 409, message: "Another request changed the same records; try again." },
  DatabaseError: { status: 500, message: "The database failed." },
  SchemaMismatch: { status: 500, message: "The database does not have the schema that the service was generated for." },
  DatabaseUnavailable: { status: 503, message: "The database is not available." },
  DatabaseTimeout: { status: 504, message: "The database took too long." },
});
