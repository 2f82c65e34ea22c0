/** Why a command exits with code 1, as a message for the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The error about a place: a file, a variable, a database. */
export function commandError(where: string, message: string): CommandError {
  return new CommandError(`${where}: ${message}`);
}
