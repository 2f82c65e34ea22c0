import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { Home } from "./features/home.js";
import { Layout } from "./features/layout.js";
import { type Clause, readClauses } from "./model/filter.js";
import { readSummary } from "./model/summary-search.js";
import { NotFound } from "./ui/problem.js";

/** The table state in the URL. */
export interface TableSearch {
  readonly search?: string | undefined;
  readonly sort?: string | undefined;
  readonly where?: readonly Clause[] | undefined;
  /** Shows deleted rows in place of the others. */
  readonly deleted?: "only" | undefined;
}

/** The initial values of a form. */
export interface NewSearch {
  readonly from?: Readonly<Record<string, unknown>> | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function readTable(given: Record<string, unknown>): TableSearch {
  const search = text(typeof given.search === "number" ? String(given.search) : given.search);
  const sort = text(given.sort);
  const where = readClauses(given.where);
  // Omitted values come from the URL, even invalid ones: `undefined` overrides them.
  const deleted = given.deleted === "only" ? "only" : undefined;
  return { search, sort, where: where.length === 0 ? undefined : where, deleted };
}

const root = createRootRoute({ component: Layout, notFoundComponent: () => <NotFound what="page" /> });
const home = createRoute({ getParentRoute: () => root, path: "/", component: Home });
const table = createRoute({
  getParentRoute: () => root,
  path: "/data/$model",
  validateSearch: readTable,
  component: lazyRouteComponent(() => import("./features/table-page.js"), "TablePage"),
});
const create = createRoute({
  getParentRoute: () => root,
  path: "/data/$model/new",
  validateSearch: ({ from }: Record<string, unknown>): NewSearch => ({
    from: typeof from === "object" && from !== null && !Array.isArray(from) ? { ...from } : undefined,
  }),
  component: lazyRouteComponent(() => import("./features/new-row-page.js"), "NewRowPage"),
});
const importing = createRoute({
  getParentRoute: () => root,
  path: "/data/$model/import",
  component: lazyRouteComponent(() => import("./features/import-page.js"), "ImportPage"),
});
const summary = createRoute({
  getParentRoute: () => root,
  path: "/data/$model/summary",
  validateSearch: readSummary,
  component: lazyRouteComponent(() => import("./features/summary-page.js"), "SummaryPage"),
});
const row = createRoute({
  getParentRoute: () => root,
  path: "/data/$model/row/$key",
  component: lazyRouteComponent(() => import("./features/row-page.js"), "RowPage"),
});
const models = createRoute({
  getParentRoute: () => root,
  path: "/models",
  component: lazyRouteComponent(() => import("./features/models-page.js"), "ModelsPage"),
});
const routes = createRoute({
  getParentRoute: () => root,
  path: "/routes",
  component: lazyRouteComponent(() => import("./features/routes-page.js"), "RoutesPage"),
});
const rights = createRoute({
  getParentRoute: () => root,
  path: "/rights",
  component: lazyRouteComponent(() => import("./features/rights-page.js"), "RightsPage"),
});
const health = createRoute({
  getParentRoute: () => root,
  path: "/health",
  component: lazyRouteComponent(() => import("./features/health-page.js"), "HealthPage"),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  component: lazyRouteComponent(() => import("./features/jobs-page.js"), "JobsPage"),
});
const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("./features/account-page.js"), "AccountPage"),
});

// The address is in the hash: the server has one page, at any path behind a proxy.
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    table,
    create,
    importing,
    summary,
    row,
    models,
    routes,
    rights,
    health,
    jobs,
    account,
  ]),
  history: createHashHistory(),
  defaultErrorComponent: ({ error }) => (
    <>
      <h1>This page failed to load</h1>
      <p role="alert">{String(error)}</p>
    </>
  ),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
