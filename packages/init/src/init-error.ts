/** Why servicekit cannot be added to a project, as a message for the user. Nothing was written. */
export class InitError extends Error {
  override readonly name = "InitError";
}
