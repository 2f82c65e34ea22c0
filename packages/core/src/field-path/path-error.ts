/** The reason why a field name was rejected. */
export type PathIssue = "malformed" | "too-deep" | "forbidden" | "conflict" | "index";

/** An invalid field name. The caller translates it into its own error. */
export class PathError extends Error {
  override readonly name = "PathError";
  /** The name as it was sent. */
  readonly field: string;
  readonly issue: PathIssue;

  constructor(field: string, issue: PathIssue, reason: string) {
    super(`The field name ${JSON.stringify(field.slice(0, 100))} ${reason}.`);
    this.field = field;
    this.issue = issue;
  }
}
