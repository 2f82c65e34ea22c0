interface MigrationErrorOptions {
  readonly migration?: string | undefined;
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

/** A migration or a schema that cannot be applied, compared or read. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
  /** The migration that failed, when it is one. */
  readonly migration: string | undefined;
  /** Prisma's code word, such as `P3009` (a migration that failed before stands in the way), when there is one. */
  readonly code: string | undefined;

  constructor(message: string, options: MigrationErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.migration = options.migration;
    this.code = options.code;
  }
}

/** What is known of a fault beside what the engine threw. */
interface FaultContext {
  /** The database's answer to the script that failed. */
  readonly scriptFault?: string | undefined;
  readonly panic?: string | undefined;
}

/** Translates what the engine throws: its own trace is cut away, the database's message put in place of a part of it. */
export function toMigrationError(error: unknown, { scriptFault, panic }: FaultContext = {}): MigrationError {
  if (error instanceof MigrationError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (panic !== undefined) return new MigrationError(`The schema engine broke down: ${panic}`, { cause: error });
  const migration = /migration_name="([^"]+)"|[Mm]igration `([^`]+)`|`([^`]+)` migration/.exec(text);
  const name = migration?.[1] ?? migration?.[2] ?? migration?.[3];
  if (code === "P3009" && name !== undefined) {
    const when = / started at (.+?) failed/.exec(text)?.[1] ?? "an earlier time";
    const message = `The migration ${name} failed before, at ${when}. Nothing is applied until that is resolved: undo
what it did and mark it with "prisma migrate resolve", or reset a development database.`;
    return new MigrationError(message.replace("\n", " "), { migration: name, code, cause: error });
  }
  const message = scriptFault ?? text.split(/\n +0: /)[0]?.trim() ?? text;
  if (name === undefined) return new MigrationError(message, { code, cause: error });
  return new MigrationError(`The migration ${name} failed: ${message}`, { migration: name, code, cause: error });
}
