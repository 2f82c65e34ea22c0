import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { facts } from "../api/facts.js";
import { giveToken, session } from "../api/shop.js";
import { toTitle } from "../model/model-info.js";
import { Problem } from "../ui/problem.js";

/** Signs in by the service's own endpoint, or with a token that the visitor has. Nothing in the address leads on from here. */
export function SignIn() {
  const names = facts.signIn?.usernames ?? [];
  const queries = useQueryClient();
  const [way, setWay] = useState<"password" | "token">(names.length > 0 ? "password" : "token");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? "");
    setBusy(true);
    setError(undefined);
    try {
      if (way === "password")
        await session.signIn({ [text("field") || (names[0] ?? "")]: text("name"), password: text("password") });
      else giveToken(text("token").trim());
      queries.setQueryData(["visitor"], await session.me());
    } catch (fault) {
      giveToken(undefined);
      setError(fault);
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form className="card" onSubmit={(event) => void enter(event)}>
        <h1>Studio</h1>
        <p className="dim">Sign in to {location.host}. You see and do what your account may.</p>
        {way === "password" ? (
          <>
            {names.length > 1 && (
              <label>
                Sign in by
                <select name="field">
                  {names.map((name) => (
                    <option key={name} value={name}>
                      {toTitle(name)}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <label>
              {names.length > 1 ? "Name" : toTitle(names[0] ?? "name")}
              {/* biome-ignore lint/a11y/noAutofocus: the page has one purpose. */}
              <input name="name" required autoComplete="username" autoFocus />
            </label>
            <label>
              Password
              <input name="password" type="password" required autoComplete="current-password" />
            </label>
          </>
        ) : (
          <label>
            Access token or API key
            <input name="token" type="password" required autoComplete="off" />
            <small className="dim">It is kept in memory, until the page is closed or loaded again.</small>
          </label>
        )}
        <Problem error={error} />
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
        {names.length > 0 && (
          <button type="button" className="quiet" onClick={() => setWay(way === "password" ? "token" : "password")}>
            {way === "password" ? "Use a token instead" : "Use a password instead"}
          </button>
        )}
      </form>
    </main>
  );
}
