import { type ApiIssue, isApiError } from "@servicekit/client";

const isAt =
  (parameters: readonly string[]) =>
  ({ path }: ApiIssue): boolean =>
    parameters.includes(path.slice(1));

/** Whether each issue of a rejected request is about one of these parameters. */
export const areAllAt = (error: unknown, parameters: readonly string[]): boolean =>
  isApiError(error) && error.errors.length > 0 && error.errors.every(isAt(parameters));

/** The messages of a rejected request about some parameters, beside their inputs. */
export function Issues({ error, of: parameters }: { readonly error: unknown; readonly of: readonly string[] }) {
  if (!isApiError(error)) return null;
  return error.errors.filter(isAt(parameters)).map(({ path, code, message }) => (
    <p key={`${path}${code}${message}`} className="error" role="alert">
      {message}
    </p>
  ));
}
