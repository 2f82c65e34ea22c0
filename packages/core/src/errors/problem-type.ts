/** The page of all error codes on the documentation site. Clients compare it, so it must not change. */
const page = "https://servicekit.github.io/servicekit/errors";

/** The codes on that page: those in the tables of all packages. */
const documented: ReadonlySet<string> = new Set(
  `
  AuthenticationRequired BadRequest BulkTooLarge CheckConstraint Conflict ConflictingFilters ConversionsBusy
  CrossSiteRequest DatabaseBusy DatabaseError DatabaseTimeout DatabaseUnavailable EmptyGroup ExclusionConstraint
  ExportTooLarge FileContentMismatch FileNotFound FileTooLarge Forbidden ForbiddenKey ForeignKeyConstraint FormTooLarge
  GatewayTimeout HookError IdempotencyKeyOfForm IdempotencyKeyReused IdempotencyUnavailable InsufficientStorage
  InternalServerError InvalidApiKey InvalidArguments InvalidCredentials InvalidFieldName InvalidIdempotencyKey
  InvalidImageOptions InvalidMailToken InvalidOperand InvalidQuery InvalidRefreshToken InvalidToken InvalidValue
  IssuerUnavailable MalformedForm MalformedQuery MethodNotAllowed MissingFilter NoFile NotAcceptable NotDeleted
  NotFound NotImplemented Overloaded PayloadTooLarge PreconditionFailed QueryLimitExceeded QueryTooLarge RangeNotSatisfiable
  RecordsNotConnected RejectedByDatabase RelatedRecordNotFound RelationConstraint RequestInProgress RequestTimeout
  RequiredValue ResponseNotStored ResponseTooLarge RowDeleted SchemaMismatch ServiceUnavailable StorageUnavailable
  TokensUnavailable TooDeep TooManyFiles TooManyPasswords TooManyRequests Unauthorized UnexpectedFile UniqueConstraint
  UnknownCategory UnprocessableContent UnreadableImage UnsupportedFileType UnsupportedMediaType UploadAborted
  UriTooLong ValidationError ValueOutOfRange ValueTooLong WriteConflict
  `
    .split(/\s+/)
    .filter((code) => code !== ""),
);

/** The codes that `docs/reference/errors.md` documents. */
export const documentedCodes: readonly string[] = [...documented];

/**
 * Returns the problem type of a code as a URI (RFC 9457, section 3.1.1): its place on the page of all codes. Codes that
 * an application defines itself have none.
 */
export const problemType = (code: string): string =>
  documented.has(code) ? `${page}#${code.toLowerCase()}` : "about:blank";
