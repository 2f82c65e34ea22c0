import http from "node:http";
import type { AddressInfo } from "node:net";
import { type ModelsData, readModels } from "@servicekit/prisma";
import {
  makeApp,
  makeBodyParserStep,
  makeRouteTable,
  makeValidationStep,
  mountRoutes,
  type RouteStep,
  ServiceRouter,
} from "@servicekit/router";
import { declareRoute, setCaller } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import type { McpContext } from "../src/index.js";
import { makeMcpRouter } from "../src/index.js";
import type { McpSettings } from "../src/settings.js";

type ModelData = ModelsData["models"][number];

const scalar = (name: string, type: string, more: object = {}) => ({ kind: "scalar", name, type, ...more });
const key = [{ kind: "id", fields: ["id"] }];
export const models = readModels({
  format: 1,
  enums: [{ name: "Language", values: [{ name: "de" }, { name: "en" }] }],
  models: [
    {
      name: "Author",
      documentation: "Writes books. Has a pen.",
      fields: [
        scalar("id", "Int", { default: { function: "autoincrement" } }),
        scalar("name", "String"),
        scalar("password", "String"),
        {
          kind: "relation",
          name: "books",
          type: "Book",
          isList: true,
          relation: { name: "by", fields: [], references: [] },
        },
      ],
      keys: [...key, { kind: "unique", fields: ["name"] }],
    },
    {
      name: "Book",
      fields: [
        scalar("id", "Int", { default: { function: "autoincrement" } }),
        scalar("title", "String", { documentation: "As on the cover." }),
        scalar("pages", "Int", { isOptional: true }),
        scalar("tags", "String", { isList: true }),
        { kind: "enum", name: "language", type: "Language" },
        scalar("authorId", "Int"),
        {
          kind: "relation",
          name: "author",
          type: "Author",
          relation: { name: "by", fields: ["authorId"], references: ["id"] },
        },
      ],
      keys: key,
    },
  ] as unknown as readonly ModelData[],
} as ModelsData);

/** A request that reached a route of the library. */
export interface Reached {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

/** The result of a tool. */
export interface ToolText {
  readonly text: string;
  readonly isError: boolean;
}

export interface Library {
  readonly url: string;
  readonly reached: Reached[];
  /** Sends one message, and returns the response as it is. */
  post(message: unknown, headers?: Record<string, string>): Promise<globalThis.Response>;
  /** Calls a method of the protocol, and returns its result or error. */
  send(method: string, params?: object, headers?: Record<string, string>): Promise<object>;
  call(name: string, given?: object, headers?: Record<string, string>): Promise<ToolText>;
  close(): Promise<void>;
}

export interface LibraryOptions extends Partial<Omit<McpContext, "table" | "models">> {
  readonly access?: McpSettings["access"];
  /** Whether books have aggregates. */
  readonly aggregates?: boolean;
  /** Whether clients may create or replace books. */
  readonly upserts?: boolean;
  /** Whether deleted books can be restored. */
  readonly restores?: boolean;
  /** Responds in place of the routes of the library. */
  readonly respond?: (request: Request, response: Response) => unknown;
}

const operations = [
  ["get", "", "findMany", false],
  ["get", "/:id", "findOne", false],
  ["post", "", "createOne", true],
  ["patch", "/:id", "updateOne", true],
  ["delete", "/:id", "deleteOne", true],
  ["post", "/many", "createMany", true],
] as const;

const identify: RequestHandler = (request, _response, next) => {
  if (request.headers["x-user"] !== undefined) setCaller(request, { id: 1, roles: [], isSuperUser: false, user: {} });
  next();
};
const authentication: RouteStep = { key: "authentication", handlers: () => [] };

/** Serves books and their authors, two declared routes and `/api/mcp`. The header `x-user` signs in. */
export async function serveLibrary({
  access = "write",
  aggregates,
  upserts,
  restores,
  respond,
  ...context
}: LibraryOptions = {}): Promise<Library> {
  const reached: Reached[] = [];
  const app = makeApp();
  const router = ServiceRouter();
  const handler = (request: Request, response: Response): void => {
    const { method, originalUrl: url, headers, body } = request;
    reached.push({ method, url, headers, body });
    if (respond === undefined) response.json({ id: 7 });
    else respond(request, response);
  };
  for (const [model, resource] of [
    ["Author", "authors"],
    ["Book", "books"],
  ] as const) {
    for (const [method, end, operation, authentication] of operations) {
      declareRoute(router, {
        method,
        config: { path: `/api/${resource}${end}`, authentication },
        handlers: [handler],
        origin: { place: `the model ${model}`, resource, operation, model },
      });
    }
  }
  if (aggregates === true)
    declareRoute(router, {
      method: "get",
      config: { path: "/api/books/aggregate", authentication: false },
      handlers: [handler],
      origin: { place: "the model Book", resource: "books", operation: "aggregate", model: "Book" },
    });
  if (upserts === true)
    declareRoute(router, {
      method: "put",
      config: { path: "/api/books/:id", authentication: true },
      handlers: [handler],
      origin: { place: "the model Book", resource: "books", operation: "replaceOne", model: "Book" },
    });
  if (restores === true)
    declareRoute(router, {
      method: "post",
      config: { path: "/api/books/:id/restore", authentication: true },
      handlers: [handler],
      origin: { place: "the model Book", resource: "books", operation: "restoreOne", model: "Book" },
    });
  router.get({ path: "/api/tides/:port", mcp: true }, handler);
  router.post({ path: "/api/orders/:id/ship", mcp: true, authentication: true }, handler);
  router.get({ path: "/api/unlisted" }, handler);
  router.get({ path: "/api/openapi.json", authentication: true }, handler);
  const server = http.createServer(app).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seen = (name: string) => {
    const model = models.get(name);
    if (model === undefined) throw new Error(`No model ${name}.`);
    const names = model.fields.map((field) => field.name);
    return {
      model,
      fields: new Set(names.filter((field) => field !== "password")),
      writable: new Set(names.filter((field) => field !== "id")),
      operators: new Map([
        ["id", ["equals", "lt"]],
        ["pages", ["equals", "lt"]],
        ["title", ["contains"]],
        ["tags", []],
      ]),
    };
  };
  app.use(router);
  const mcp = await makeMcpRouter(
    { access },
    {
      info: { name: "library", version: "1.0.0" },
      table: makeRouteTable(app.router),
      models,
      visible: async () => [seen("Author"), seen("Book")],
      allows: (request, requested) => requested === false || request.headers["x-user"] !== undefined,
      identify,
      fetch: (request) => fetch(request),
      document: async () => ({ paths: {} }),
      descriptions: [{ path: "/api/openapi.json", title: "OpenAPI", mimeType: "application/json" }],
      allowedOrigins: ["https://known.example"],
      ...context,
    },
  );
  mountRoutes(app, {
    global: [authentication, makeBodyParserStep()],
    route: [makeValidationStep()],
    mount: () => app.use("/api", mcp),
  });

  const post: Library["post"] = (message, headers = {}) =>
    fetch(`${url}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(message),
    });
  const send: Library["send"] = async (method, params = {}, headers = {}) => {
    const response = await post({ jsonrpc: "2.0", id: 1, method, params }, headers);
    const { result, error } = (await response.json()) as { result?: object; error?: object };
    return result ?? { error };
  };
  return {
    ...{ url, reached, post, send },
    call: async (name, given = {}, headers = { "x-user": "1" }) => {
      const result = await send("tools/call", { name, arguments: given }, headers);
      const {
        content = [],
        isError,
        error,
      } = result as {
        content?: readonly { text: string }[];
        isError?: boolean;
        error?: { message: string };
      };
      return { text: content[0]?.text ?? String(error?.message), isError: isError === true || error !== undefined };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
