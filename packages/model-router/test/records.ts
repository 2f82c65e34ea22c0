import path from "node:path";
import { readModels } from "@servicekit/prisma";
import { type MatchStates, makeStateMatcher } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { type AuthenticationConfig, type BoundRoutes, type Caller, callerOf, type RouteStep } from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import type { Request } from "express";
import { withAdapter } from "../../../scripts/test/client-adapter.js";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { ModelAccess, ModelRouterOptions, ModelRouterSettings } from "../src/index.js";
import { configuredModels } from "../src/resource/config/configured-models.js";
import { PrismaClient } from "./generated/records/client/client.js";
import { models as data } from "./generated/records/models.js";
import { serveModels, type TestResponse } from "./serve-models.js";

export const recordModels = readModels(data);

/** A signed-in user. */
export interface User {
  readonly id: number;
  readonly roles?: readonly string[];
  readonly isSuperUser?: boolean;
  readonly company?: number | null;
}

/** Sends a request of a user; an anonymous one without it. */
export type Call = (
  method: string,
  path: string,
  options?: {
    readonly body?: unknown;
    readonly user?: User | undefined;
    readonly headers?: Readonly<Record<string, string>>;
  },
) => Promise<TestResponse>;

/** Generated routes of the fixture `records`. */
export interface ServedRecords {
  readonly url: string;
  readonly logged: unknown[];
  readonly routes: BoundRoutes;
  readonly call: Call;
}

/** A database of the fixture `records`. */
export interface Records {
  readonly matchStates: MatchStates;
  sql<Row extends object = Record<string, unknown>>(text: string): Promise<Row[]>;
  /** @param isGuarded whether routes require the access that they declare */
  serve(
    models: ModelRouterSettings["models"],
    options?: Omit<Partial<ModelRouterOptions>, "settings"> & { readonly settings?: Partial<ModelRouterSettings> },
    isGuarded?: boolean,
  ): Promise<ServedRecords>;
  /** Deletes all rows, and restarts all ids at 1. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const isAllowed = (request: Request, access: AuthenticationConfig): boolean => {
  const caller = callerOf(request);
  if (access === false || caller?.isSuperUser === true) return true;
  if (caller === undefined) return false;
  if (access === true) return true;
  const { rule = [] } = access;
  const roles: readonly string[] = Array.isArray(rule) ? rule : (rule as { roles: readonly string[] }).roles;
  return roles.some((role) => role === "*" || caller.roles.includes(role));
};

const access: ModelAccess = { allows: isAllowed };

/** The access of routes, for responses whose caller changes while they last. */
export const renewAs = (present: () => User): ModelAccess => ({
  ...access,
  renew: async (request) => {
    const renewed = Object.create(request) as Request;
    setCaller(renewed, toCaller(present()));
    return renewed;
  },
});

const toCaller = ({ id, roles = [], isSuperUser = false, company }: User): Caller => ({
  ...{ id, roles, isSuperUser },
  user: { id, company },
});

/** Reads the user from a header, and checks the access of routes that declare one. */
const authentication: RouteStep = {
  key: "authentication",
  handlers: (declared) => [
    (request, response, next) => {
      const user = request.headers["x-user"];
      if (typeof user === "string") setCaller(request, toCaller(JSON.parse(user) as User));
      if (declared === undefined || isAllowed(request, declared as AuthenticationConfig)) return next();
      response.status(callerOf(request) === undefined ? 401 : 403).json({ status: "rejected" });
    },
  ],
};

const callAt =
  (url: string): Call =>
  async (method, target, { body, user, headers = {} } = {}) => {
    const response = await fetch(`${url}${target}`, {
      method,
      headers: {
        ...headers,
        ...(user === undefined ? {} : { "x-user": JSON.stringify(user) }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };

export async function startRecords(serverUrl: string): Promise<Records> {
  const created = await createPushedDatabase(serverUrl, path.join(import.meta.dirname, "fixtures/records"));
  const adapter = makePostgresAdapter({ url: created.url, timeouts: { poolWaitMs: 20_000, statementMs: 20_000 } });
  const client = withAdapter(new PrismaClient({ adapter }), adapter);
  const services: { stop(): Promise<void> }[] = [];
  return {
    matchStates: makeStateMatcher({ client, models: recordModels }),
    sql: (text) => client.$queryRawUnsafe(text),
    serve: async (models, { settings, ...options } = {}, isGuarded = false) => {
      const more = { users: undefined, ...(isGuarded ? { access } : {}), ...options };
      const configured = configuredModels(options.models ?? recordModels, models);
      const served = await serveModels(client, configured, { ...settings, models }, [authentication], more);
      services.push(served);
      return { ...served, call: callAt(served.url) };
    },
    clear: async () => {
      await client.$queryRawUnsafe(emptyTables(...recordModels.keys()));
    },
    close: async () => {
      await Promise.all(services.map((one) => one.stop()));
      await client.$disconnect();
      await created.drop();
    },
  };
}
