interface MigrationErrorOptions {
  readonly migration?: string | undefined;
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

/** A migration or a schema that cannot be applied, compared or read. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
  /** The failed migration, if it is one. */
  readonly migration: string | undefined;
  /** Prisma's error code, such as `P3009` (an earlier migration has failed), if there is one. */
  readonly code: string | undefined;

  constructor(message: string, options: MigrationErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.migration = options.migration;
    this.code = options.code;
  }
}

/** The context of an error of the engine. */
interface ErrorContext {
  /** The database's error for the failed script. */
  readonly scriptError?: string | undefined;
  readonly panic?: string | undefined;
}

/** Translates an error of the engine: removes its trace and restores the database's full message. */
export function toMigrationError(error: unknown, { scriptError, panic }: ErrorContext = {}): MigrationError {
  if (error instanceof MigrationError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (panic !== undefined) return new MigrationError(`The schema engine crashed: ${panic}`, { cause: error });
  const migration = /migration_name="([^"]+)"|[Mm]igration `([^`]+)`|`([^`]+)` migration/.exec(text);
  const name = migration?.[1] ?? migration?.[2] ?? migration?.[3];
  if (code === "P3009" && name !== undefined) {
    return failedBefore(name, / started at (.+?) failed/.exec(text)?.[1] ?? "an earlier time", error);
  }
  const message = scriptError ?? text.split(/\n +0: /)[0]?.trim() ?? text;
  if (name === undefined) {
    return new MigrationError(connectionMessage(error, code) ?? message, { code, cause: error });
  }
  return new MigrationError(`The migration ${name} failed: ${message}`, { migration: name, code, cause: error });
}

/** The error of a migration that failed earlier. */
export function failedBefore(name: string, when: string, cause?: unknown): MigrationError {
  const message = `The migration ${name} failed at ${when}. No migration is applied until this is resolved: revert its changes and run
"prisma migrate resolve", or reset a development database.`;
  return new MigrationError(message.replace("\n", " "), { migration: name, code: "P3009", cause });
}

const wrongUser = "Correct the user or the password of the database URL.";
const needsKey =
  "Use TLS (sslaccept=strict), or add allowPublicKeyRetrieval=true to the database URL where the network is trusted.";
const noDatabase = "Create it, or correct the name in the database URL.";

/** The codes of PostgreSQL and MySQL of a rejected sign-in and of a missing database, with what to correct. */
const rejectedConnections: Readonly<Record<string, string>> = {
  "28P01": wrongUser,
  "28000": wrongUser,
  "1044": wrongUser,
  "1045": wrongUser,
  "1698": wrongUser,
  "45044": needsKey,
  "3D000": noDatabase,
  "1049": noDatabase,
};

/** The codes of Node, and those of the MySQL driver for a closed socket and a time limit. */
const unreachable = /^(E(CONN|NOTFOUND|HOST|NET|TIMEDOUT|AI_)|450(09|12)$)/;

/** The message of an error of the connection, with what to do; `undefined` for any other error. */
function connectionMessage(error: unknown, code: string | undefined): string | undefined {
  if (!(error instanceof Error) || code === undefined) return undefined;
  const fix = rejectedConnections[code];
  if (fix !== undefined) return `The database rejects the connection: ${error.message}. ${fix}`;
  if (!unreachable.test(code)) return undefined;
  // Node reports a name with several addresses as one error without a message.
  const reasons = error instanceof AggregateError ? error.errors.map((one: Error) => one.message) : [error.message];
  return `The database cannot be reached: ${reasons.join(", ")}. Start it, or correct the database URL.`;
}
