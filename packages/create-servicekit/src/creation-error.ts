/** Why no project can be made, in words for whoever asked for it. */
export class CreationError extends Error {
  override readonly name = "CreationError";
}
