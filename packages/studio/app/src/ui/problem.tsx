import { isApiError } from "@servicekit/client";
import "./problem.css";

/** What went wrong, in the words of the service. */
export function Problem({ error, hides = [] }: { readonly error: unknown; readonly hides?: readonly string[] }) {
  if (error === null || error === undefined) return null;
  const isRefused = isApiError(error);
  const faults = isRefused ? error.errors.filter(({ path }) => !hides.includes(path)) : [];
  return (
    <div className="problem" role="alert">
      <p>
        {error instanceof TypeError
          ? "The service does not answer."
          : error instanceof Error
            ? error.message
            : String(error)}
        {isRefused && <code> {error.code}</code>}
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => (
            <li key={`${fault.in}${fault.path}${fault.code}${fault.message}`}>
              {fault.path !== "" && <code>{fault.path}</code>} {fault.message}
            </li>
          ))}
        </ul>
      )}
      {isRefused && error.requestId !== undefined && <p className="dim">Request {error.requestId}</p>}
    </div>
  );
}

/** Said while something is on its way. */
export const Waiting = ({ what = "Loading" }: { readonly what?: string }) => (
  <p className="dim waiting" role="status">
    {what}…
  </p>
);

/** Said of what the visitor may not read, as of what is not there. */
export const NotHere = ({ what = "model" }: { readonly what?: string }) => (
  <>
    <h1>Not here</h1>
    <p>
      There is no such {what}, or you may not read it. <a href="#/">All the data</a>
    </p>
  </>
);
