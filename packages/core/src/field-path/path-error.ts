/** Why a field name was refused. */
export type PathFault = "malformed" | "too-deep" | "forbidden" | "conflict" | "index";

/** A field name that cannot be used: the caller turns it into its own answer. */
export class PathError extends Error {
  override readonly name = "PathError";
  /** The name as it came. */
  readonly field: string;
  readonly fault: PathFault;

  constructor(field: string, fault: PathFault, reason: string) {
    super(`The field name ${JSON.stringify(field.slice(0, 100))} ${reason}.`);
    this.field = field;
    this.fault = fault;
  }
}
