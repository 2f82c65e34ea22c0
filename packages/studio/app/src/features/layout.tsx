import { isApiError } from "@servicekit/client";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { useMayCall, useModels, useVisitor } from "../api/discovery.js";
import { pageData } from "../api/page-data.js";
import { type Row, session, whenSignedOut } from "../api/shop.js";
import { Dialog } from "../ui/dialog.js";
import { Problem, Waiting } from "../ui/problem.js";
import { useStored } from "../ui/use-stored.js";
import { RequestsDrawer } from "./requests-drawer.js";
import { SignIn } from "./sign-in.js";
import "./layout.css";

type Theme = "system" | "light" | "dark";

/** The display name of the visitor. */
const nameOf = (visitor: Row): string =>
  String(
    (pageData.signIn?.usernames ?? []).map((name) => visitor[name]).find((name) => typeof name === "string") ?? "me",
  );

/** Whether two visitors are known to be the same; unknown for external identities. */
const isSame = (a: Row | null | undefined, b: Row): boolean => b.id !== undefined && a?.id === b.id;

/** The frame of every page: user, navigation, requests. */
export function Layout() {
  const visitor = useVisitor();
  const queries = useQueryClient();
  const [hasEnded, setEnded] = useState(false);
  const [visit, setVisit] = useState(0);
  const [theme, setTheme] = useStored<Theme>("theme", "system");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    whenSignedOut(() => {
      // Only after a session; for a first sign-in the form is enough.
      if (queries.getQueryData(["visitor"])) setEnded(true);
    });
  }, [queries]);
  const enter = (found: Row) => {
    setEnded(false);
    if (isSame(visitor.data, found)) {
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "visitor" });
    } else {
      // Data of one visitor is not shown to another.
      queries.clear();
      setVisit(visit + 1);
    }
    queries.setQueryData(["visitor"], found);
  };
  if (visitor.isPending) return <Waiting what="Opening the studio" />;
  if (pageData.signIn !== null && !visitor.data)
    return (
      <main className="sign-in">
        <div className="card">
          <h1>{pageData.title}</h1>
          <Problem error={isApiError(visitor.error) && visitor.error.status === 401 ? null : visitor.error} />
          <SignIn onEnter={enter} />
        </div>
      </main>
    );
  return (
    <>
      <Frame key={visit} visitor={visitor.data ?? null} theme={theme} onTheme={setTheme} />
      {hasEnded && (
        <Dialog title="Sign in again" onClose={() => location.reload()}>
          <p>Your session has expired. Your unsaved changes on this page are still there.</p>
          <SignIn onEnter={enter} />
        </Dialog>
      )}
    </>
  );
}

interface FrameProps {
  readonly visitor: Row | null;
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
}

function Frame({ visitor, theme, onTheme }: FrameProps) {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [hasDrawer, setDrawer] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page is shown.
  useEffect(() => setOpen(false), [pathname]);
  const leave = async () => {
    await session.signOut().catch(() => undefined);
    queries.clear();
    await queries.invalidateQueries({ queryKey: ["visitor"] });
    location.hash = "#/";
    location.reload();
  };
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header className="top">
        <button
          type="button"
          className="quiet menu"
          aria-expanded={isOpen}
          aria-controls="nav"
          aria-label="Menu"
          onClick={() => setOpen(!isOpen)}
        >
          ☰
        </button>
        <Link to="/" className="brand">
          {pageData.title}
        </Link>
        <span className="grow" />
        <button type="button" className="quiet" onClick={() => setDrawer(true)}>
          Requests
        </button>
        {visitor !== null && (
          <>
            <Link to="/account" className="who">
              {nameOf(visitor)}
            </Link>
            {session.canSignOut() && (
              <button type="button" className="quiet" onClick={() => void leave()}>
                Sign out
              </button>
            )}
          </>
        )}
      </header>
      <div className="frame">
        <Navigation isOpen={isOpen} theme={theme} onTheme={onTheme} />
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<Waiting />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {hasDrawer && <RequestsDrawer onClose={() => setDrawer(false)} />}
    </>
  );
}

function Navigation({ isOpen, theme, onTheme }: Omit<FrameProps, "visitor"> & { readonly isOpen: boolean }) {
  const models = useModels();
  const hasJobs = useMayCall("GET", "/api/job-queues");
  const [words, setWords] = useState("");
  const shown = (models.data ?? []).filter(
    (model) => model.may("findMany") && model.title.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <nav id="nav" className={isOpen ? "open" : ""} aria-label="Studio">
      <input
        type="search"
        aria-label="Find a model"
        placeholder="Find a model"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {models.isPending && <Waiting />}
      <Problem error={models.error} />
      <ul>
        {shown.map((model) => (
          <li key={model.name}>
            <Link to="/data/$model" params={{ model: model.name }} activeProps={{ "aria-current": "page" }}>
              {model.title}
            </Link>
          </li>
        ))}
      </ul>
      <hr />
      <ul>
        {pages
          .filter(([to]) => to !== "/jobs" || hasJobs)
          .map(([to, title]) => (
            <li key={to}>
              <Link to={to} activeProps={{ "aria-current": "page" }}>
                {title}
              </Link>
            </li>
          ))}
      </ul>
      <label>
        <span className="dim">Color scheme</span>
        <select value={theme} onChange={(event) => onTheme(event.target.value as Theme)}>
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </nav>
  );
}

const pages = [
  ["/models", "Models"],
  ["/routes", "Routes"],
  ["/rights", "Permissions"],
  ["/health", "Health"],
  ["/jobs", "Jobs"],
] as const;
