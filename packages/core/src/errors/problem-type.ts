/** The page that tells of every code, in the site of the documentation: part of what clients compare, so it stays. */
const page = "https://servicekit.github.io/servicekit/errors";

/** The codes that the page tells of: those of the tables of all packages. */
const told: ReadonlySet<string> = new Set(
  `
  AnswerNotKept BadRequest BulkTooLarge CheckConstraint Conflict ConflictingFilters ConversionsBusy CrossSiteRequest
  DatabaseBusy DatabaseError DatabaseTimeout DatabaseUnavailable EmptyGroup ExclusionConstraint FileContentMismatch
  FileNotFound FileTooLarge Forbidden ForbiddenKey ForeignKeyConstraint FormTooLarge GatewayTimeout HookFault
  IdempotencyKeyOfForm IdempotencyKeyReused IdempotencyUnavailable InsufficientStorage InternalServerError
  InvalidApiKey InvalidArguments InvalidCredentials InvalidFieldName InvalidIdempotencyKey InvalidImageOptions InvalidMailToken
  InvalidOperand InvalidQuery InvalidRefreshToken InvalidToken InvalidValue IssuerUnavailable MalformedForm
  MalformedQuery MethodNotAllowed MissingFilter NoFile NotAcceptable NotFound NotImplemented Overloaded
  PayloadTooLarge PreconditionFailed QueryLimitExceeded QueryTooLarge RangeNotSatisfiable RecordsNotConnected
  RejectedByDatabase RelatedRecordNotFound RelationConstraint RequestInProgress RequestTimeout RequiredValue ResponseTooLarge
  SchemaMismatch ServiceUnavailable SignInNeeded StorageUnavailable TokensUnavailable TooDeep TooManyFiles
  TooManyPasswords TooManyRequests Unauthorized UnexpectedFile UniqueConstraint UnknownCategory UnprocessableContent
  UnreadableImage UnsupportedFileType UnsupportedMediaType UploadAborted UriTooLong ValidationError ValueOutOfRange
  ValueTooLong WriteConflict
  `
    .split(/\s+/)
    .filter((code) => code !== ""),
);

/** The codes that `docs/reference/errors.md` tells of. */
export const toldCodes: readonly string[] = [...told];

/**
 * What kind of problem a code stands for, as a URI (RFC 9457, section 3.1.1): its place on the page of all codes. A code
 * that an application has made itself is told of nowhere.
 */
export const problemType = (code: string): string => (told.has(code) ? `${page}#${code.toLowerCase()}` : "about:blank");
