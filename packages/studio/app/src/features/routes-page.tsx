import { fillPath } from "@servicekit/client/path";
import { useState } from "react";
import { useRoutes } from "../api/discovery.js";
import { type AvailableRoute, type RawResponse, sendRaw } from "../api/shop.js";
import { Dialog } from "../ui/dialog.js";
import { Problem, Waiting } from "../ui/problem.js";
import "../ui/method.css";

const accessOf = ({ authentication }: AvailableRoute): string => {
  if (authentication === null) return "decided by its handlers";
  if (typeof authentication === "object") return `${authentication.action} of ${authentication.resource}`;
  return authentication ? "signed in" : "everyone";
};

/** Every route of the service; those that the visitor may use can be tried. */
export function RoutesPage() {
  const routes = useRoutes();
  const [words, setWords] = useState("");
  const [onlyAllowed, setOnlyAllowed] = useState(true);
  const [tried, setTried] = useState<AvailableRoute>();
  if (routes.isPending) return <Waiting />;
  const all = routes.data ?? [];
  const shown = all.filter(
    (route) =>
      (!onlyAllowed || route.allowed !== false) &&
      `${route.method} ${route.path} ${route.description ?? ""}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <>
      <div className="row head">
        <h1>Routes</h1>
        <span className="dim" aria-live="polite">
          {shown.length} of {all.length}
        </span>
      </div>
      <div className="row tools">
        <input
          type="search"
          aria-label="Filter the routes"
          placeholder="GET /api/…"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <label className="inline">
          <input type="checkbox" checked={onlyAllowed} onChange={({ target }) => setOnlyAllowed(target.checked)} />
          Only routes that I may use
        </label>
      </div>
      <Problem error={routes.error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll" aria-label="Routes" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Method</th>
              <th>Path</th>
              <th>Description</th>
              <th>Access</th>
              <th>
                <span className="hidden">Try</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((route) => (
              <tr key={`${route.method} ${route.path}`}>
                <td>
                  <span className={`method ${route.method.toLowerCase()}`}>{route.method}</span>
                </td>
                <td>
                  <code>{route.path}</code>
                </td>
                <td className="words">{route.description}</td>
                <td className="dim">{accessOf(route)}</td>
                <td>
                  {route.allowed !== false && (
                    <button
                      type="button"
                      className="small"
                      aria-label={`Try ${route.method} ${route.path}`}
                      onClick={() => setTried(route)}
                    >
                      Try
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {tried !== undefined && <Try route={tried} onClose={() => setTried(undefined)} />}
    </>
  );
}

const longest = 20_000;

function Try({ route, onClose }: { readonly route: AvailableRoute; readonly onClose: () => void }) {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const [params, setParams] = useState<Readonly<Record<string, string>>>({});
  const [query, setQuery] = useState("");
  const [body, setBody] = useState("");
  const [response, setResponse] = useState<RawResponse>();
  const [error, setError] = useState<unknown>();
  const hasBody = !["GET", "HEAD", "DELETE"].includes(route.method);
  const send = async () => {
    setError(undefined);
    setResponse(undefined);
    try {
      const path = fillPath(route.path, Object.fromEntries(names.map((name) => [name, params[name] ?? ""])));
      setResponse(await sendRaw(route.method, query === "" ? path : `${path}?${query}`, body));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog title={`${route.method} ${route.path}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {names.map((name) => (
          <label key={name}>
            {name}
            <input
              required
              value={params[name] ?? ""}
              onChange={({ target }) => setParams({ ...params, [name]: target.value })}
            />
          </label>
        ))}
        <label>
          Query
          <input placeholder="limit=3&sort=-id" value={query} onChange={({ target }) => setQuery(target.value)} />
        </label>
        {hasBody && (
          <label>
            Body (JSON)
            <textarea
              className="code"
              rows={6}
              spellCheck={false}
              value={body}
              onChange={({ target }) => setBody(target.value)}
            />
          </label>
        )}
        <button type="submit" className={route.method === "GET" ? "primary" : "danger"}>
          Send
        </button>
      </form>
      <Problem error={error} />
      {response !== undefined && (
        <section aria-label="Response">
          <p role="status">
            <strong className={response.status >= 400 ? "bad" : ""}>{response.status}</strong>
          </p>
          <details>
            <summary>Headers</summary>
            <pre>{response.headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
          </details>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
          <pre className="response" tabIndex={0}>
            {pretty(response.text).slice(0, longest)}
          </pre>
        </section>
      )}
    </Dialog>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
