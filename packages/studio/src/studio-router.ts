import fs from "node:fs";
import path from "node:path";
import { httpErrors } from "@servicekit/core";
import { ServiceRouter } from "@servicekit/router";
import { declareRoute, sendText } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { type PageFiles, type StudioInfo, writePage } from "./page.js";

/** The options of the studio. */
export type StudioOptions = Omit<StudioInfo, "path" | "title"> & {
  /** The name of the application, on the sign-in page and in the title of the page. @default "Studio" */
  readonly title?: string;
  /** The path of the page. @default "/api/studio" */
  readonly path?: string;
  /** The folder of the built page. @default that of this package */
  readonly directory?: string;
};

/** The build's entry for each file. */
interface BuiltFile {
  readonly file: string;
  readonly isEntry?: boolean;
}

/**
 * Creates the router of the studio (contract C76): one page and its files. It has no other endpoint: the page calls the
 * API as its visitor. Mount it at the root: the path is a full path.
 */
export function makeStudioRouter({
  path: at = "/api/studio",
  directory = path.join(import.meta.dirname, "..", "dist", "page"),
  title = "Studio",
  document,
  signIn,
}: StudioOptions): ServiceRouter {
  const name = at.slice(at.lastIndexOf("/") + 1);
  let found: ReturnType<typeof readFiles> | undefined;
  const files = (): ReturnType<typeof readFiles> => (found ??= readFiles(directory, name));
  const router = ServiceRouter();
  const declare = (suffix: string, operation: string, ...handlers: RequestHandler[]): void => {
    declareRoute(router, {
      method: "get",
      config: {
        path: `${at}${suffix}`,
        queryParser: false,
        validation: { body: false },
        experimental: { openapi: false },
      },
      handlers,
      origin: { place: "the studio", resource: "studio", operation },
    });
  };
  declare("", "page", (request, response) => {
    // The links of the page are relative, so that it works behind a proxy that adds a prefix.
    if (request.originalUrl.split("?", 1)[0]?.endsWith("/"))
      return void response.writeHead(308, { location: `../${name}` }).end();
    const { html, policy } = writePage({ path: at, title, document, signIn }, files());
    response.setHeader("Content-Security-Policy", policy);
    response.setHeader("X-Frame-Options", "DENY");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    sendText(response, 200, "text/html; charset=utf-8", html);
  });
  declare("/assets/:file", "file", (request, response, next) => {
    const file = String(request.params.file);
    if (!files().all.has(file)) return next(httpErrors.NotFound());
    response.setHeader("X-Content-Type-Options", "nosniff");
    // Their names change with their contents.
    const options = { immutable: true, maxAge: "1y", dotfiles: "allow" } as const;
    response.sendFile(path.join(directory, "assets", file), options, (error) => error && next(error));
  });
  return router;
}

function readFiles(directory: string, name: string): PageFiles & { readonly all: ReadonlySet<string> } {
  const manifest = path.join(directory, "manifest.json");
  if (!fs.existsSync(manifest)) {
    throw httpErrors.NotFound("The studio page is not built. Run `npm run build` and reload this page.");
  }
  const built = Object.values(JSON.parse(fs.readFileSync(manifest, "utf8")) as Record<string, BuiltFile>);
  const entry = built.find(({ isEntry }) => isEntry === true);
  if (entry === undefined) throw new Error(`${manifest} names no script of the page.`);
  const styles = built.flatMap(({ file }) => (file.endsWith(".css") ? [`${name}/${file}`] : []));
  const all = new Set(built.map(({ file }) => path.basename(file)));
  return { script: `${name}/${entry.file}`, styles, all };
}
