import { isApiError } from "@servicekit/client";
import "./problem.css";

/** The error of a request, in the words of the service. */
export function Problem({ error, hides = [] }: { readonly error: unknown; readonly hides?: readonly string[] }) {
  if (error === null || error === undefined) return null;
  const isRejected = isApiError(error);
  const issues = isRejected ? error.errors.filter(({ path }) => !hides.includes(path)) : [];
  const message =
    error instanceof TypeError
      ? "The service does not respond."
      : error instanceof Error
        ? error.message
        : String(error);
  return (
    <div className="problem" role="alert">
      <p>
        {/* An error with one issue often has its message. */}
        {!issues.some((issue) => issue.message === message) && message}
        {isRejected && <code> {error.code}</code>}
      </p>
      {issues.length > 0 && (
        <ul>
          {issues.map((issue) => (
            <li key={`${issue.in}${issue.path}${issue.code}${issue.message}`}>
              {issue.path !== "" && <code>{issue.path}</code>} {issue.message}
            </li>
          ))}
        </ul>
      )}
      {isRejected && error.requestId !== undefined && <p className="dim">Request {error.requestId}</p>}
    </div>
  );
}

/** Shown while a request is pending. */
export const Waiting = ({ what = "Loading" }: { readonly what?: string }) => (
  <p className="dim waiting" role="status">
    {what}…
  </p>
);

/** Shown both for missing data and for data that the visitor may not read. */
export const NotFound = ({ what = "model" }: { readonly what?: string }) => (
  <>
    <h1>Not found</h1>
    <p>
      This {what} does not exist, or you may not read it. <a href="#/">All models</a>
    </p>
  </>
);
