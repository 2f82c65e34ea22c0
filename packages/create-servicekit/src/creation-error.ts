/** Why a project cannot be created, as a message for the user. */
export class CreationError extends Error {
  override readonly name = "CreationError";
}
