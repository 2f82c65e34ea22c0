import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../api.js";
import { type AccountDatabase, type AccountShop, createAccountDatabase, startAccounts } from "./account-shop.js";
import { makeProbes, type Probe, type Route } from "./probes.js";
import { makeRelationProbes } from "./relation-probes.js";

/** Who asks. Of rows that belong to a customer, the present one is Ada's. */
const people = {
  static: { nobody: undefined, owner: "ada", "other customer": "ben", staff: "edda", superuser: "root" },
  dynamic: {
    nobody: undefined,
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

describe.each(["static", "dynamic"] as const)("the access matrix of %s accounts", (accounts) => {
  let shop: AccountShop;
  let routes: readonly Route[];
  let probes: ReadonlyMap<string, Probe>;
  const answers = new Map<string, readonly Answer<unknown>[]>();
  const cell = (route: Route, who: string) => answers.get(`${route.method} ${route.path} ${who}`) ?? [];

  beforeAll(async () => {
    shop = await startAccounts({ database, accounts });
    const listed = await shop.as<{ data: Route[] }>("root", "GET", "/api/available-routes");
    routes = listed.body.data;
    probes = await makeProbes(routes, database);
    for (const [who, username] of Object.entries(people[accounts])) {
      for (const route of routes) {
        const probe = probes.get(`${route.method} ${route.path}`);
        const got: Answer<unknown>[] = [];
        for (const path of probe?.paths ?? []) {
          if (username !== undefined && probe?.endsSession === true) await shop.tokenOf(username);
          got.push(await shop.as<unknown>(username, route.method, path, probe?.body, probe?.headers));
          if (username !== undefined && probe?.endsSession === true) {
            await database.client.user.updateMany({ data: { deletedAt: null } });
            await shop.tokenOf(username);
          }
        }
        answers.set(`${route.method} ${route.path} ${who}`, got);
      }
    }
  });
  afterAll(() => shop?.close());

  /** Two answers for each relation: of a connect, and of a change of the row that hangs there. */
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

  it("R1 attack 29: every route of the application is in the table, and answers as the table says", {
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
      `# Who gets which answer: ${accounts} accounts`,
      "",
      "Written by `npm run access-matrix`, and held against the running shop by the tests. Two answers: for a row that is",
      "there (of what belongs to a customer, Ada's) and for one that is not. Writes are asked for in a way that changes",
      "nothing: 400, 409, 412 and 415 say that the access check was passed.",
      "",
      `| ${head.join(" | ")} |`,
      `| ${head.map(() => "---").join(" | ")} |`,
      ...lines,
      "",
      "## By way of relations",
      "",
      "A `PATCH` of the row that is there, whose body names a row that hangs on it already: alone, which connects it, and with",
      "a field as it stands, which changes it (contract C57). 400 is the answer for a row that does not exist, too.",
      "",
      `| ${["route", "relation", ...names].join(" | ")} |`,
      `| ${["route", "relation", ...names].map(() => "---").join(" | ")} |`,
      ...(await relationLines()),
      "",
    ].join("\n");
    await expect(text).toMatchFileSnapshot(`access-matrix.${accounts}.md`);
  });

  it("C50 R1 attack 16: whoever may not act gets the same answer for a present and an absent row", () => {
    const refusals: string[] = [];
    for (const [key, got] of answers) {
      const [present, absent] = got;
      if (present === undefined || absent === undefined || ![401, 403, 404].includes(present.status)) continue;
      const [one, other] = [plain(present), plain(absent)];
      expect(`${key}: ${one}`).toBe(`${key}: ${other}`);
      refusals.push(key);
    }
    expect(refusals.length).toBeGreaterThan(100);
  });

  it("C46 the route list tells each of them what they may enter, as the answers do", async () => {
    for (const [who, username] of Object.entries(people[accounts])) {
      if (username === undefined) continue;
      const { body } = await shop.as<{ data: (Route & { allowed: boolean })[] }>(
        username,
        "GET",
        "/api/available-routes",
      );
      const said = body.data.map(({ method, path, allowed }) => `${method} ${path} ${allowed}`);
      const seen = body.data.map((route) => {
        // What is refused before it is looked at, unlike a row that somebody may not reach.
        return `${route.method} ${route.path} ${cell(route, who)[0]?.status !== 403}`;
      });
      expect(said).toEqual(seen);
    }
  });

  it("R2 attack 15: no answer of the matrix shows a password, a hash or a hidden value", () => {
    const leaks = [...answers].flatMap(([key, got]) => {
      if (key.includes("/api-docs")) return [];
      const found = got.map(
        ({ text }) => /\$2[aby]\$.{5}|"(password|purchasePrice|staffNote|cardToken)":/.exec(text)?.[0],
      );
      return found.filter((leak) => leak !== undefined).map((leak) => `${key}: ${leak}`);
    });
    expect(leaks).toEqual([]);
  });
});

/** What a client sees of an answer but for what names the request. */
function plain({ status, text, headers }: Answer<unknown>): string {
  const shown = ["cache-control", "content-type", "www-authenticate", "etag", "vary"].map((name) => headers.get(name));
  return JSON.stringify([status, shown, text.replace(/"(instance|requestId)":"[^"]*"/g, "")]);
}
