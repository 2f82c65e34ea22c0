import { type FormEvent, useState } from "react";
import { hasLogin, pageData } from "../api/page-data.js";
import { giveToken, type Row, session } from "../api/shop.js";
import { toTitle } from "../model/model-info.js";
import { Problem } from "../ui/problem.js";
import "./sign-in.css";

/** Signs in with the service's own endpoint, or with a token. Nothing in the URL redirects from here. */
export function SignIn({ onEnter }: { readonly onEnter: (visitor: Row) => void }) {
  const names = pageData.signIn?.usernames ?? [];
  const [way, setWay] = useState<"password" | "token">(hasLogin ? "password" : "token");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  const enter = async (act: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
      onEnter(await session.me());
    } catch (failure) {
      giveToken(undefined);
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? "");
    void enter(async () => {
      if (way === "token") return giveToken(text("token").trim());
      giveToken(undefined);
      await session.signIn({ [text("field") || (names[0] ?? "")]: text("name"), password: text("password") });
    });
  };

  return (
    <form className="entry" onSubmit={submit}>
      <p className="dim">Sign in to {location.host}. You have the permissions of your account.</p>
      {way === "password" ? (
        <>
          {names.length > 1 && (
            <label>
              Sign in with
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
        <>
          {!hasLogin && (
            <>
              <p>This service has no passwords of its own. Sign in with your identity provider, then:</p>
              <button type="button" disabled={isBusy} onClick={() => void enter(async () => giveToken(undefined))}>
                I have signed in
              </button>
            </>
          )}
          <label>
            {hasLogin ? "Access token or API key" : "Or an access token"}
            <input name="token" type="password" required autoComplete="off" />
            <small className="dim">It is stored in memory until the page is closed or reloaded.</small>
          </label>
        </>
      )}
      <Problem error={error} />
      <button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? "Signing in…" : "Sign in"}
      </button>
      {hasLogin && (
        <button type="button" className="quiet" onClick={() => setWay(way === "password" ? "token" : "password")}>
          {way === "password" ? "Use a token instead" : "Use a password instead"}
        </button>
      )}
    </form>
  );
}
