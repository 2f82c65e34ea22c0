import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { Home } from "./features/home.js";
import { Layout } from "./features/layout.js";
import type { Condition } from "./model/filter.js";

/** What is asked of a table, as it stands in the address. */
export interface TableSearch {
  readonly search?: string;
  readonly sort?: string;
  readonly where?: readonly Condition[];
}

/** What a form begins with. */
export interface NewSearch {
  readonly from?: Readonly<Record<string, unknown>>;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function readTable(given: Record<string, unknown>): TableSearch {
  const search = text(typeof given.search === "number" ? String(given.search) : given.search);
  const sort = text(given.sort);
  const where = (Array.isArray(given.where) ? given.where : []).filter(
    (each): each is Condition =>
      Array.isArray(each) && each.length === 3 && each.every((part) => typeof part === "string"),
  );
  return {
    ...(search === undefined ? {} : { search }),
    ...(sort === undefined ? {} : { sort }),
    ...(where.length === 0 ? {} : { where }),
  };
}

const root = createRootRoute({ component: Layout, notFoundComponent: () => <p>There is no such page.</p> });
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
  validateSearch: ({ from }: Record<string, unknown>): NewSearch =>
    typeof from === "object" && from !== null ? { from: from as Record<string, unknown> } : {},
  component: lazyRouteComponent(() => import("./features/new-row-page.js"), "NewRowPage"),
});
const importing = createRoute({
  getParentRoute: () => root,
  path: "/data/$model/import",
  component: lazyRouteComponent(() => import("./features/import-page.js"), "ImportPage"),
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
const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("./features/account-page.js"), "AccountPage"),
});

// The address is behind the hash: the server has one page, at whatever path a proxy shows it.
export const router = createRouter({
  routeTree: root.addChildren([home, table, create, importing, row, models, routes, rights, health, account]),
  history: createHashHistory(),
  defaultErrorComponent: ({ error }) => <p role="alert">{String(error)}</p>,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
