/** Why a command ends with 1, in words for whoever called it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The fault of a place: a file, a variable, a database. */
export function fault(where: string, message: string): CommandError {
  return new CommandError(`${where}: ${message}`);
}
