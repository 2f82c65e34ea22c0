import {
  type RouteConfig,
  type RouteDocumentation,
  type RouteMethod,
  ServiceRouter,
  sendJson,
} from "@servicekit/router";
import { composeHandlers, declareRoute } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { fileAuthentication } from "../module/file-access.js";
import type { FileOperation } from "../module/file-operation.js";
import { documentDeleteFile, documentFindFile, documentUploadFile, foundFile } from "./file-documentation.js";
import { deleteFile, type FileRouterOptions, serveFile, uploadFiles } from "./file-operations.js";

/**
 * The router for downloads, uploads and deletions (specification, "File upload router"; contract C34): three declared
 * routes with full paths, so it is mounted at the root.
 */
export function makeFileRouter(options: FileRouterOptions): ServiceRouter {
  const { settings, access, module } = options;
  const router = ServiceRouter();
  if (module.router !== undefined) router.use(settings.baseRoute, module.router);
  const declare = (route: FileRoute): void => {
    const { method, operation, documentation, config, handlers } = route;
    const authentication = fileAuthentication(operation, access);
    const name = `${operation[0]?.toUpperCase()}${operation.slice(1)}` as Capitalize<FileOperation>;
    const before = module.hooks[`before${name}`] ?? [];
    const after = module.hooks[`after${name}`] ?? [];
    declareRoute(router, {
      method,
      config: {
        ...config,
        ...(authentication === undefined ? {} : { authentication }),
        validation: { body: false },
        bodyParser: false,
      },
      handlers: [composeHandlers([...before, handlers[0], ...after, handlers[1]])],
      origin: { place: "the file router", resource: "file-upload", operation, documentation },
    });
  };

  const filePath = `${settings.baseRoute}/:fileType/:fileName`;
  declare({
    method: "get",
    operation: "findFile",
    documentation: documentFindFile,
    config: { path: filePath, compression: false, experimental: { openapi: { responses: { 200: foundFile } } } },
    handlers: serveFile(options),
  });
  declare({
    method: "post",
    operation: "uploadFile",
    documentation: () => documentUploadFile(settings),
    config: { path: `${settings.baseRoute}/:fileType` },
    handlers: [uploadFiles(options), sendCreated],
  });
  declare({
    method: "delete",
    operation: "deleteFile",
    documentation: documentDeleteFile,
    config: { path: filePath },
    handlers: [deleteFile(options), sendNothing],
  });
  return router;
}

interface FileRoute {
  readonly method: RouteMethod;
  readonly operation: FileOperation;
  readonly documentation: () => RouteDocumentation;
  readonly config: RouteConfig;
  /** The operation, and the sender of the response after the hooks. */
  readonly handlers: readonly [RequestHandler, RequestHandler];
}

const sendCreated: RequestHandler = (_request, response) => {
  if (response.headersSent) return;
  const { data } = response.locals as { data: { readonly url?: unknown } };
  if (typeof data?.url === "string") response.setHeader("Location", data.url);
  sendJson(response, 201, { data });
};

const sendNothing: RequestHandler = (_request, response) => {
  if (!response.headersSent) response.status(204).end();
};
