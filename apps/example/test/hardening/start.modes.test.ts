import path from "node:path";
import { PassThrough } from "node:stream";
import service, { type ServiceInitConfig, StartupError } from "@servicekit/service";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type AccountDatabase,
  accountConfig,
  createAccountDatabase,
  secret,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Row } from "../api.js";

const modes = inject("accounts");

let database: AccountDatabase;
beforeAll(async () => {
  database = await createAccountDatabase();
});
afterAll(() => database?.drop());

describe.each(modes)("configurations that would be open by mistake, with %s accounts", (accounts) => {
  /** Why the shop does not start. */
  async function issues(more: ServiceInitConfig, environment: Record<string, string> = {}): Promise<string> {
    const error = await service
      .create(
        { logger: pino({ enabled: false }), ...accountConfig({ accounts }), ...more },
        {
          directory: path.join(import.meta.dirname, "..", ".."),
          environment: { DATABASE_URL: database.url, JWT_SECRET: secret, NODE_ENV: "test", ...environment },
        },
      )
      .then(
        (made) => made.close(),
        (reason: unknown) => reason,
      );
    if (!(error instanceof StartupError)) throw new Error("It started.");
    return error.message;
  }

  it.each(["development", "production"])(
    "access rules without authentication prevent startup in %s",
    async (NODE_ENV) => {
      const { authentication: _, ...config } = accountConfig({ accounts });
      const error = await service
        .create(config, {
          directory: path.join(import.meta.dirname, "..", ".."),
          environment: { DATABASE_URL: database.url, NODE_ENV },
        })
        .then(
          (made) => made.close(),
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(StartupError);
      expect(String(error)).toContain(
        "models.Product.auth: Without the block `authentication`, permissions are not checked",
      );
    },
  );

  it("without authentication, production logs once that every route is open", async () => {
    const { authentication: _, use: _routes, models, ...config } = accountConfig({ accounts });
    const log = new PassThrough();
    let text = "";
    log.on("data", (chunk) => (text += chunk));
    const open = Object.fromEntries(Object.keys(models).map((name) => [name, {}])) as ServiceInitConfig["models"];
    const made = await service.create(
      { ...config, logger: pino(log), ...(open && { models: open }) },
      { directory: import.meta.dirname, environment: { DATABASE_URL: database.url, NODE_ENV: "production" } },
    );
    await made.close();
    expect(text.split("\n").filter((line) => /every route is open/i.test(line))).toHaveLength(1);
  });

  it("a login name that is not unique prevents startup", async () => {
    const { authentication } = accountConfig({ accounts });
    const login = { allowedUsernames: ["username", "role"] };
    expect(await issues({ authentication: { ...authentication, login } })).toMatch(/allowedUsernames.*role/);
  });

  it.each(["prod", "staging", "Production"])("NODE_ENV=%s prevents startup", async (NODE_ENV) => {
    expect(await issues({}, { NODE_ENV })).toMatch(/NODE_ENV.*"development", "production" or "test"/);
  });

  it.each<[string, string]>([
    ["a missing secret", ""],
    ["a short secret", "short"],
    ["a well-known secret", "changeme"],
  ])("%s prevents startup in production", async (_, JWT_SECRET) => {
    expect(await issues({}, { JWT_SECRET, NODE_ENV: "production" })).toMatch(/JWT_SECRET|jwt\.secret/);
  });

  it("a misplaced key of a module of the service prevents startup, and is named", async () => {
    for (const name of ["file-upload", "auth"]) {
      const models = { [name]: { auht: { findFile: ["STAFF"] } } } as object as NonNullable<
        ServiceInitConfig["models"]
      >;
      expect(await issues({ models })).toMatch(new RegExp(`models\\.${name}.*auht|auht.*auth`));
    }
  });

  it("auth of the module file-upload closes the files to anonymous clients", async () => {
    const models = { "file-upload": { auth: { findFile: true } } } as NonNullable<ServiceInitConfig["models"]>;
    const shop = await startAccounts({ database, accounts, config: { models } });
    const read = (who?: string) => shop.as<Row>(who, "GET", "/api/uploads/images/none.png");
    expect([(await read()).status, (await read("ada")).status]).toEqual([401, 404]);
    await shop.close();
  });

  it("an unconfigured proxy, and one that is trusted for everything, are logged once each", async () => {
    const warnings = (text: string) => text.split("\n").filter((line) => /trustProxy/.test(line)).length;
    const silent = await startAccounts({ database, accounts });
    for (let at = 0; at < 3; at++) {
      await fetch(`${silent.url}/api/health/live`, { headers: { "x-forwarded-for": "10.0.0.1" } });
    }
    const believed = await startAccounts({ database, accounts, environment: { TRUST_PROXY: "true" } });
    expect([warnings(silent.log()), warnings(believed.log())]).toEqual([1, 1]);
    await silent.close();
    await believed.close();
  });
});
