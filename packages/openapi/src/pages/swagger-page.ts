import { createRequire } from "node:module";
import { isInstalled } from "@servicekit/core/internal";
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

/**
 * A model has many filters. Each parameter is one line, its field before its words, so that a list fits on a screen; where
 * it does not, it scrolls. A filter is written as an object: its field grows while somebody writes in it, over what is
 * below it: a button that moved when the field shrinks again would miss the click that made it shrink. On a phone nothing
 * is beside another.
 */
const style = `
.swagger-ui .parameters-container > .table-container { max-height: 90vh; overflow: auto; padding-top: 0; padding-bottom: 0; }
.swagger-ui .parameters-container table.parameters, .swagger-ui .parameters-container table.parameters > tbody { display: block; }
.swagger-ui .parameters-container table.parameters > thead { display: none; }
.swagger-ui .parameters-container table.parameters > tbody > tr { display: grid; grid-template-columns: minmax(12em, 18%) 1fr; border-bottom: 1px solid #8884; }
.swagger-ui .parameters-container table.parameters > tbody > tr > td { margin: 0; padding: 1px 8px 1px 0; min-height: 30px; }
.swagger-ui .parameters-container .parameter__name { display: inline; font-size: 14px; margin-right: .5em; }
.swagger-ui .parameters-container .parameter__type, .swagger-ui .parameters-container .parameter__in,
.swagger-ui .parameters-container .parameter__deprecated { display: inline; padding: 0; margin-right: .5em; }
.swagger-ui .parameters-container td.parameters-col_name { align-self: center; max-width: none; width: auto; }
.swagger-ui .parameters-container td.parameters-col_description { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1em; width: auto; max-width: none; }
.swagger-ui .parameters-container td.parameters-col_description > * { margin: 0; }
.swagger-ui .parameters-container td.parameters-col_description > input,
.swagger-ui .parameters-container td.parameters-col_description > select { order: -1; height: 28px; padding: 2px 10px; width: 240px; min-width: 0; max-width: none; }
.swagger-ui .parameters-container td.parameters-col_description > .renderedMarkdown { flex: 1; min-width: 16em; }
.swagger-ui .parameters-container td.parameters-col_description > .renderedMarkdown p { margin: 0; font-size: 13px; line-height: 1.25; }
.swagger-ui .parameters-container .model-example { display: flex; flex-direction: row-reverse; justify-content: flex-end; align-items: center; gap: 1em; width: 100%; margin: 0; }
.swagger-ui .parameters-container .model-example > .tab { margin: 0; padding: 0; }
.swagger-ui .parameters-container .model-example textarea { width: 240px; height: 28px; min-height: 0; margin: 0; padding: 5px 10px; resize: both; }
.swagger-ui .parameters-container .model-example textarea:focus { position: relative; z-index: 1; height: 8em; margin-bottom: calc(28px - 8em); width: 360px; }
@media (max-width: 640px) {
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui .parameters-container table.parameters > tbody > tr { grid-template-columns: 1fr; }
  .swagger-ui .parameters-container .model-example textarea:focus { width: 240px; }
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
