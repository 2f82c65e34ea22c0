import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import type { Reply } from "../api.js";
import { type AccountDatabase, type AccountShop, createAccountDatabase, startAccounts } from "./account-shop.js";
import { makeProbes, type Probe, type Route } from "./probes.js";
import { makeRelationProbes } from "./relation-probes.js";

/** The caller. Of rows that belong to a customer, the existing one is Ada's. */
const people = {
  static: { anonymous: undefined, owner: "ada", "other customer": "ben", staff: "edda", superuser: "root" },
  dynamic: {
    anonymous: undefined,
    owner: "ada",
    "other customer": "ben",
    editor: "edda",
    warehouse: "will",
    superuser: "root",
  },
} as const;

let database: AccountDatabase;
beforeAll(async () => {
  database = await createAccountDatabase();
});
afterAll(() => database?.drop());

describe.each(oneOf(["static", "dynamic"] as const))("the access matrix of %s accounts", (accounts) => {
  let shop: AccountShop;
  let routes: readonly Route[];
  let probes: ReadonlyMap<string, Probe>;
  const responses = new Map<string, readonly Reply<unknown>[]>();
  const cell = (route: Route, who: string) => responses.get(`${route.method} ${route.path} ${who}`) ?? [];

  beforeAll(async () => {
    shop = await startAccounts({ database, accounts });
    const listed = await shop.as<{ data: Route[] }>("root", "GET", "/api/available-routes");
    routes = listed.body.data;
    probes = await makeProbes(routes, database);
    for (const [who, username] of Object.entries(people[accounts])) {
      for (const route of routes) {
        const probe = probes.get(`${route.method} ${route.path}`);
        const got: Reply<unknown>[] = [];
        for (const path of probe?.paths ?? []) {
          if (username !== undefined && probe?.endsSession === true) await shop.tokenOf(username);
          got.push(await shop.as<unknown>(username, route.method, path, probe?.body, probe?.headers));
          if (username !== undefined && probe?.endsSession === true) {
            await database.client.user.updateMany({ data: { deletedAt: null } });
            await shop.tokenOf(username);
          }
        }
        responses.set(`${route.method} ${route.path} ${who}`, got);
      }
    }
  });
  afterAll(() => shop?.close());

  /** Two responses for each relation: of a connect, and of an update of the related row. */
  const relationLines = async (): Promise<readonly string[]> => {
    const lines: string[] = [];
    for (const { path, route, relation, bodies } of await makeRelationProbes(shop, routes, probes)) {
      const cells: string[] = [];
      for (const username of Object.values(people[accounts])) {
        const connected = await shop.as<unknown>(username, "PATCH", path, bodies.connect);
        const changed = await shop.as<unknown>(username, "PATCH", path, bodies.change);
        cells.push(`${connected.status} / ${changed.status}`);
      }
      lines.push(`| ${route} | ${relation} | ${cells.join(" | ")} |`);
    }
    return lines.sort();
  };

  it("contains every route of the application, with its responses", {
    timeout: 300_000,
  }, async () => {
    const names = Object.keys(people[accounts]);
    const lines = routes
      .map((route) => {
        const cells = names.map((who) => {
          return cell(route, who)
            .map(({ status }) => status)
            .join(" / ");
        });
        return `| ${route.method} | ${route.path} | ${cells.join(" | ")} |`;
      })
      .sort();
    const head = ["method", "route", ...names];
    const text = [
      `# Responses to each caller: ${accounts} accounts`,
      "",
      "Written by `npm run access-matrix` and compared with the running shop by a test. Two statuses: for a row that exists",
      "(of a customer's rows, those of Ada) and for one that does not. The writes are made so that they change nothing:",
      "400, 409, 412 and 415 mean that the access check passed.",
      "",
      `| ${head.join(" | ")} |`,
      `| ${head.map(() => "---").join(" | ")} |`,
      ...lines,
      "",
      "## Through relations",
      "",
      "A `PATCH` of the existing row whose body contains a related row: its key alone, which connects it, and with",
      "an unchanged field, which updates it (contract C57). A row that does not exist is 400, too.",
      "",
      `| ${["route", "relation", ...names].join(" | ")} |`,
      `| ${["route", "relation", ...names].map(() => "---").join(" | ")} |`,
      ...(await relationLines()),
      "",
    ].join("\n");
    await expect(text).toMatchFileSnapshot(`access-matrix.${accounts}.md`);
  });

  it("C50 returns the same response for an existing and a missing row to a caller without access", () => {
    const rejections: string[] = [];
    for (const [key, got] of responses) {
      const [present, absent] = got;
      if (present === undefined || absent === undefined || ![401, 403, 404].includes(present.status)) continue;
      const [one, other] = [plain(present), plain(absent)];
      expect(`${key}: ${one}`).toBe(`${key}: ${other}`);
      rejections.push(key);
    }
    expect(rejections.length).toBeGreaterThan(100);
  });

  it("C46 agrees with the route list of each caller", async () => {
    for (const [who, username] of Object.entries(people[accounts])) {
      if (username === undefined) continue;
      const { body } = await shop.as<{ data: (Route & { allowed: boolean })[] }>(
        username,
        "GET",
        "/api/available-routes",
      );
      const message = body.data.map(({ method, path, allowed }) => `${method} ${path} ${allowed}`);
      const seen = body.data.map((route) => {
        // Rejections before any lookup, unlike those for an inaccessible row.
        return `${route.method} ${route.path} ${cell(route, who)[0]?.status !== 403}`;
      });
      expect(message).toEqual(seen);
    }
  });

  it("contains no password, hash or hidden value", () => {
    const leaks = [...responses].flatMap(([key, got]) => {
      if (key.includes("/api-docs")) return [];
      const found = got.map(
        ({ text }) => /\$2[aby]\$.{5}|"(password|purchasePrice|staffNote|cardToken)":/.exec(text)?.[0],
      );
      return found.filter((leak) => leak !== undefined).map((leak) => `${key}: ${leak}`);
    });
    expect(leaks).toEqual([]);
  });
});

/** The visible part of a response, except for the request id. */
function plain({ status, text, headers }: Reply<unknown>): string {
  const shown = ["cache-control", "content-type", "www-authenticate", "etag", "vary"].map((name) => headers.get(name));
  return JSON.stringify([status, shown, text.replace(/"(instance|requestId)":"[^"]*"/g, "")]);
}
