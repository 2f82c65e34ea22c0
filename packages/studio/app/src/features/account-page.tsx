import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useMayCall, useVisitor } from "../api/discovery.js";
import { callRoute, needsAuthentication, type Row } from "../api/shop.js";
import { toTitle } from "../model/model-info.js";
import { Problem, Waiting } from "../ui/problem.js";
import { formatDate } from "../ui/value.js";
import "./row-page.css";

/** The visitor's account, sessions and API keys, if the service stores those. */
export function AccountPage() {
  const visitor = useVisitor().data;
  const hasSessions = useMayCall("GET", "/api/auth/sessions");
  const hasKeys = useMayCall("GET", "/api/auth/keys");
  return (
    <>
      <h1>Account</h1>
      {visitor !== undefined && visitor !== null && Object.keys(visitor).length === 0 && (
        <p>You signed in with another service. This service has no account for you.</p>
      )}
      <dl className="values">
        {Object.entries(visitor ?? {})
          .filter(([, value]) => typeof value !== "object" || value === null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{toTitle(name)}</dt>
              <dd>
                {value === null ? (
                  <span className="null">null</span>
                ) : /^\d{4}-\d\d-\d\dT/.test(String(value)) ? (
                  describe(value)
                ) : (
                  String(value)
                )}
              </dd>
            </div>
          ))}
      </dl>
      {hasSessions && <Sessions />}
      {hasKeys && <Keys />}
    </>
  );
}

/** Rows of an account endpoint, with their actions. */
function useOwn(path: string) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const list = useQuery({
    queryKey: ["own", path],
    queryFn: async () => ((await callRoute(`GET ${path}`)) as { data: readonly Row[] }).data,
  });
  const act = async (run: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await run();
    } catch (failure) {
      setError(failure);
    }
    await queries.invalidateQueries({ queryKey: ["own", path] });
  };
  return { list, act, error: error ?? list.error };
}

const describe = (value: unknown): string => (typeof value === "string" ? formatDate(value) : "");

function Sessions() {
  const { list, act, error } = useOwn("/api/auth/sessions");
  if (list.isPending) return <Waiting />;
  if (needsAuthentication(list.error)) return null;
  return (
    <section aria-labelledby="sessions">
      <div className="row head">
        <h2 id="sessions">Sessions</h2>
        <span className="grow" />
        <button type="button" onClick={() => void act(() => callRoute("DELETE /api/auth/sessions"))}>
          End all others
        </button>
      </div>
      <Problem error={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll" aria-label="Your sessions" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Client</th>
              <th>Address</th>
              <th>Last seen</th>
              <th>Expires</th>
              <th>
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {(list.data ?? []).map((session) => (
              <tr key={String(session.id)}>
                <td className="words wide">{String(session.userAgent ?? "")}</td>
                <td>{String(session.address ?? "")}</td>
                <td>{describe(session.seenAt)}</td>
                <td>{describe(session.expiresAt)}</td>
                <td>
                  {session.isCurrent === true ? (
                    <span className="chip">current</span>
                  ) : (
                    <button
                      type="button"
                      className="small"
                      onClick={() =>
                        void act(() => callRoute("DELETE /api/auth/sessions/:id", { params: { id: session.id } }))
                      }
                    >
                      End
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Keys() {
  const { list, act, error } = useOwn("/api/auth/keys");
  const [made, setMade] = useState<string>();
  if (list.isPending) return <Waiting />;
  if (needsAuthentication(list.error)) return null;
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    void act(async () => {
      const { data } = (await callRoute("POST /api/auth/keys", {
        body: { name: String(new FormData(form).get("name")) },
      })) as { data: Row };
      setMade(String(data.key));
      form.reset();
    });
  };
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      <form className="row" onSubmit={make}>
        <input name="name" required aria-label="Name of the new key" placeholder="Name of the new key" />
        <button type="submit">Create key</button>
      </form>
      <Problem error={error} />
      {made !== undefined && (
        <p role="status">
          The key is shown only once: <code className="wide">{made}</code>
        </p>
      )}
      {list.data?.length === 0 && <p className="dim">You have no API keys.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll" aria-label="Your keys" tabIndex={0} hidden={list.data?.length === 0}>
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th>Created</th>
              <th>Last used</th>
              <th>Expires</th>
              <th>
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {(list.data ?? []).map((key) => (
              <tr key={String(key.id)}>
                <td>{String(key.name)}</td>
                <td>{describe(key.createdAt)}</td>
                <td>{describe(key.lastUsedAt)}</td>
                <td>{describe(key.expiresAt)}</td>
                <td>
                  <button
                    type="button"
                    className="small danger"
                    onClick={() => void act(() => callRoute("DELETE /api/auth/keys/:id", { params: { id: key.id } }))}
                  >
                    Delete
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
