import path from "node:path";
import { httpErrors } from "@servicekit/core";
import { ServiceRouter } from "@servicekit/router";
import { declareRoute, sendText } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import type { DocumentOptions } from "./document/document.js";
import type { OpenApiDocument } from "./document/open-api-document.js";
import { makeTurn } from "./document/yield-between.js";
import { llmsText } from "./formats/llms-text.js";
import { schemaPieces } from "./formats/schema-pieces.js";
import { jsonPieces } from "./formats/to-json.js";
import { scalarDirectory, scalarFile, scalarHtml, scalarInit } from "./pages/scalar-page.js";
import { securityPolicy } from "./pages/security-policy.js";
import { browserDirectory, filterInputs, hasSwagger, makeSwaggerPage, type SwaggerPage } from "./pages/swagger-page.js";
import type { ApiDocsSettings } from "./settings.js";

export { hasSwagger } from "./pages/swagger-page.js";

/** The input of the documentation. */
export interface DocsRouterOptions {
  readonly settings: ApiDocsSettings;
  /** Whether access is checked, as the settings define. @default false */
  readonly isAuthenticated?: boolean;
  /** Returns the rest of the document's input. Called once, at the first request. */
  readonly document: () => Omit<DocumentOptions, "settings">;
}

/**
 * Creates the router of the documentation (contract C47): the document as JSON and YAML, Swagger UI, and Scalar, all
 * from files of this service, and `llms.txt` and `schemas.json` for tools (contract C75). Mount it at the root: the
 * endpoint is a full path. The document is built once, at the first request, and cached as text; the libraries that
 * build it are loaded then. If Swagger UI is not installed, its page redirects to Scalar, which this package contains.
 */
export function makeDocsRouter({
  settings,
  isAuthenticated = false,
  document: source,
}: DocsRouterOptions): ServiceRouter {
  const { endpoint } = settings;
  const router = ServiceRouter();
  const document = once(async (): Promise<OpenApiDocument> => {
    const { makeDocument } = await import("./document/document.js");
    return makeDocument({ ...source(), settings });
  });
  const title = async (): Promise<string> => String(((await document()).info as { readonly title?: unknown }).title);
  const json = once(async () => inSlices(jsonPieces(await document())));
  const yaml = once(async () => {
    const { yamlPieces } = await import("./formats/to-yaml.js");
    return inSlices(yamlPieces(await document()));
  });
  const name = endpoint.slice(endpoint.lastIndexOf("/") + 1);
  const texts: Readonly<Record<string, readonly [type: string, text: () => Promise<string>]>> = {
    "llms.txt": [
      "text/plain; charset=utf-8",
      once(async () => inSlices(llmsText(await document(), { document: `../${name}.json`, schemas: "schemas.json" }))),
    ],
    "schemas.json": [
      "application/schema+json; charset=utf-8",
      once(async () => inSlices(schemaPieces(await document()))),
    ],
  };
  const { definition: _definition, ...swaggerOptions } = settings.options;
  const swagger = once(async () => {
    if (!hasSwagger()) return undefined;
    return makeSwaggerPage(await title(), `./${name}.json`, { ...overviewOf(await document()), ...swaggerOptions });
  });
  const policy = once(async () => {
    const { servers } = (await document()) as { readonly servers?: readonly { readonly url: string }[] };
    return securityPolicy((servers ?? []).map(({ url }) => url));
  });
  const declare = (suffix: string, operation: string, ...handlers: RequestHandler[]): void => {
    declareRoute(router, {
      method: "get",
      config: {
        path: `${endpoint}${suffix}`,
        queryParser: false,
        validation: { body: false },
        ...(isAuthenticated ? { authentication: settings.authentication } : {}),
        experimental: { openapi: documented(suffix) },
      },
      handlers,
      origin: { place: "the API documentation", resource: "api-docs", operation },
    });
  };
  const guarded: RequestHandler = async (request, response, next) => (await policy())(request, response, next);

  declare(".json", "json", async (_request, response) =>
    sendText(response, 200, "application/json; charset=utf-8", await json()),
  );
  declare(".yaml", "yaml", async (_request, response) =>
    sendText(response, 200, "application/yaml; charset=utf-8", await yaml()),
  );
  declare("", "page", withoutSlash(name), guarded, async (_request, response) => {
    const page = await swagger();
    if (page === undefined) response.writeHead(302, { location: `${name}/reference` }).end();
    else sendText(response, 200, html, page.html(`${name}/`));
  });
  declare("/reference", "reference", withoutSlash("reference"), guarded, async (_request, response) => {
    // Without its script the page would be empty.
    scalarDirectory();
    sendText(response, 200, html, scalarHtml(await title(), ""));
  });
  declare("/:file", "file", guarded, async (request, response, next) => {
    const file = String(request.params.file);
    if (Object.hasOwn(texts, file)) {
      const [type, text] = texts[file] as (typeof texts)[string];
      return sendText(response, 200, type, await text());
    }
    sendFile(file, { request, response, next }, await swagger(), () =>
      scalarInit(`../${name}.json`, settings.referenceUiConfiguration),
    );
  });
  return router;
}

/** Above this number of operations the groups are collapsed, with a search, because the page would be slow. */
const maxOpen = 50;

function overviewOf({ paths }: OpenApiDocument): object {
  const count = Object.values(paths).flatMap((operations) => Object.keys(operations)).length;
  return count > maxOpen ? { docExpansion: "none", filter: true } : {};
}

const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly next: (error?: unknown) => void;
}

function sendFile(
  file: string,
  { request, response, next }: Exchange,
  swagger: SwaggerPage | undefined,
  init: () => string,
): void {
  const send = (name: string, directory: string): void => {
    response.sendFile(path.join(directory, name), { maxAge: "1h", dotfiles: "allow" }, (error) => error && next(error));
  };
  if (file === "swagger-ui-init.js" && swagger !== undefined) swagger.init(request, response, next);
  else if (swagger?.files.includes(file)) send(file, swagger.directory);
  else if (file === filterInputs && swagger !== undefined) send(file, browserDirectory);
  else if (file === "scalar.js") send(scalarFile, scalarDirectory());
  else if (file === "scalar-init.js") sendText(response, 200, script, init());
  else next(httpErrors.NotFound());
}

/**
 * The pages' links are relative, so that they work behind a proxy that adds a prefix; a path with a trailing slash
 * would break them.
 */
function withoutSlash(name: string): RequestHandler {
  return (request, response, next) => {
    const [path = ""] = request.originalUrl.split("?", 1);
    if (!path.endsWith("/")) return next();
    response.writeHead(308, { location: `../${name}` }).end();
  };
}

/** The document contains its own route; the pages and their files are not part of the API. */
function documented(suffix: string) {
  if (!suffix.startsWith(".")) return false as const;
  const type = `application/${suffix.slice(1)}`;
  return {
    summary: `This document as ${suffix.slice(1).toUpperCase()}.`,
    description: "Built once, from the routes of this service.",
    tags: ["Documentation"],
    responses: {
      200: { description: "An OpenAPI 3.1 document.", content: { [type]: { schema: { type: "object" } } } },
    },
  };
}

/** Joins a long text without blocking other requests (contract C65). */
async function inSlices(pieces: Iterable<string>): Promise<string> {
  const turn = makeTurn();
  const made: string[] = [];
  for (const piece of pieces) {
    made.push(piece);
    await turn();
  }
  return made.join("");
}

/** Built at the first call, and again after a failure. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
