import http from "node:http";
import type { AddressInfo } from "node:net";
import { makeApp, makeBodyParserStep, mountRoutes, type RouteStep, ServiceRouter } from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import type { Express, RequestHandler } from "express";
import { type Idempotency, type IdempotencyOptions, makeIdempotency, makeMemoryKeys } from "../src/index.js";

export interface Sent {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
  readonly headers: Headers;
}

/** What a request carries besides its method and path. */
export interface Sending {
  readonly key?: string;
  readonly body?: unknown;
  /** The id of the caller, and the caller's roles. */
  readonly user?: number;
  readonly roles?: readonly string[];
  readonly superUser?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Served {
  readonly idempotency: Idempotency;
  send(method: string, path: string, sending?: Sending): Promise<Sent>;
  close(): Promise<void>;
}

/** The headers of a request become its caller. */
const authentication: RouteStep = {
  key: "authentication",
  handlers: () => [
    (request, _response, next) => {
      const { "x-user": id, "x-roles": roles = "", "x-super": isSuperUser } = request.headers;
      if (typeof id === "string")
        setCaller(request, {
          id: Number(id),
          roles: String(roles).split(",").filter(Boolean),
          isSuperUser: isSuperUser === "yes",
          user: {},
        });
      next();
    },
  ],
};

/** Serves declared routes with `idempotency: true`, and the handlers of generated routes. */
export async function serveKeyed(
  routes: Readonly<Record<string, RequestHandler>>,
  options: Partial<IdempotencyOptions> = {},
  onApp: (app: Express, idempotency: Idempotency) => void = () => {},
): Promise<Served> {
  const idempotency = makeIdempotency({ keys: makeMemoryKeys(), ...options });
  const router = ServiceRouter();
  for (const [path, handler] of Object.entries(routes)) {
    router.post({ path, idempotency: true }, handler);
    router.patch({ path, idempotency: true }, handler);
  }
  const app = makeApp();
  mountRoutes(app, {
    global: [authentication, makeBodyParserStep()],
    route: [idempotency.step],
    mount: () => {
      onApp(app, idempotency);
      app.use(router);
    },
  });
  const server = http.createServer(app).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    idempotency,
    async send(method, path, { key, body, user, roles, superUser, headers } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "idempotency-key": key }),
          ...(user === undefined ? {} : { "x-user": String(user) }),
          ...(roles === undefined ? {} : { "x-roles": roles.join(",") }),
          ...(superUser === undefined ? {} : { "x-super": superUser ? "yes" : "no" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const replayed = response.headers.get("idempotency-replayed") === "true";
      return { status: response.status, text: await response.text(), replayed, headers: response.headers };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The code of a problem. */
export const codeOf = ({ text }: Sent): unknown => (JSON.parse(text) as { code?: unknown }).code;
