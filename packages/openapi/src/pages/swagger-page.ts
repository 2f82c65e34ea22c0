import { createRequire } from "node:module";
import { isInstalled } from "@servicekit/errors";
import type { RequestHandler } from "express";

/** The files of Swagger UI that the page loads, and no others. */
const files: readonly string[] = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "swagger-ui-standalone-preset.js",
  "favicon-16x16.png",
  "favicon-32x32.png",
];

/** The page of Swagger UI. */
export interface SwaggerPage {
  /** @param base what stands before the names of files in links, such as `api-docs/` */
  html(base: string): string;
  /** The script that starts it. */
  readonly init: RequestHandler;
  readonly files: readonly string[];
  /** Where the files are. */
  readonly directory: string;
}

/** What the page takes. */
export interface SwaggerPageOptions {
  readonly customCss?: string;
  readonly customSiteTitle?: string;
  readonly [key: string]: unknown;
}

interface SwaggerUi {
  generateHTML(document: undefined, options: object): string;
  serveFiles(document: undefined, options: object): RequestHandler[];
}

/** A model has many filters: their list scrolls, so that what follows stays near. On a phone nothing is beside another. */
const style = `
.swagger-ui .parameters-container > .table-container { max-height: 75vh; overflow: auto; }
@media (max-width: 640px) {
  .swagger-ui .parameters-container table.parameters > thead, .swagger-ui .response-col_links { display: none; }
  .swagger-ui .parameters-container table.parameters > tbody > tr,
  .swagger-ui .parameters-container table.parameters > tbody > tr > td { display: block; width: 100%; }
}`;

/** Whether Swagger UI is there: with its files it weighs more than all of servicekit, and only development needs it. */
export const hasSwagger = (): boolean => isInstalled("swagger-ui-express", import.meta.url);

/**
 * Makes the page of Swagger UI, loaded when it is first asked for.
 *
 * @param options Swagger UI's own, such as `deepLinking`, with `customCss` and `customSiteTitle` of the page
 * @param documentUrl the document, relative to the page's files
 */
export function makeSwaggerPage(title: string, documentUrl: string, options: SwaggerPageOptions): SwaggerPage {
  const { customCss = "", customSiteTitle = title, ...given } = options;
  const require = createRequire(import.meta.url);
  const swaggerUi = require("swagger-ui-express") as SwaggerUi;
  const { getAbsoluteFSPath } = createRequire(require.resolve("swagger-ui-express"))("swagger-ui-dist") as {
    getAbsoluteFSPath(): string;
  };
  const swaggerOptions = { persistAuthorization: false, ...given, url: documentUrl };
  const html = swaggerUi.generateHTML(undefined, {
    customSiteTitle: escapeHtml(customSiteTitle),
    // The style must not end where a text in it says so.
    customCss: `${style}\n${customCss.replaceAll("</", "<\\/")}`,
    swaggerOptions,
  });
  const [init] = swaggerUi.serveFiles(undefined, { swaggerOptions });
  return {
    html: (base) =>
      html
        .replaceAll('="./', `="${base}`)
        .replace("<head>", '<head>\n  <meta name="viewport" content="width=device-width, initial-scale=1">'),
    init: init as RequestHandler,
    files,
    directory: getAbsoluteFSPath(),
  };
}

/** Text inside HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
