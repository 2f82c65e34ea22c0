import { createRequire } from "node:module";
import path from "node:path";
import { escapeHtml, isInstalled } from "@servicekit/core/internal";
import type { RequestHandler } from "express";
import { packageFolder } from "../package-folder.js";

/** The files of Swagger UI that the page loads. */
const files: readonly string[] = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "swagger-ui-standalone-preset.js",
  "favicon-16x16.png",
  "favicon-32x32.png",
];

/** Our own script, which edits filters. */
export const filterInputs = "filter-inputs.js";

/** The location of our own script. */
export const browserDirectory = path.join(packageFolder, "browser");

/** The page of Swagger UI. */
export interface SwaggerPage {
  /** @param base the prefix of file names in links, such as `api-docs/` */
  html(base: string): string;
  /** The script that starts it. */
  readonly init: RequestHandler;
  readonly files: readonly string[];
  /** The location of the files. */
  readonly directory: string;
}

/** The options of the page. */
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
 * A model has many filters. Each parameter is one line, with its input before its text, so that a list fits on a screen;
 * otherwise it scrolls. A filter is a line of conditions (`browser/filter-inputs.js`). On a phone, everything is stacked.
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
.swagger-ui .parameters-container td.parameters-col_name { display: flex; flex-wrap: wrap; align-items: baseline; align-content: center; max-width: none; width: auto; }
.swagger-ui .parameters-container td.parameters-col_description { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1em; width: auto; max-width: none; }
.swagger-ui .parameters-container td.parameters-col_description > * { margin: 0; }
.swagger-ui .parameters-container td.parameters-col_description > input,
.swagger-ui .parameters-container td.parameters-col_description > select { order: -1; height: 28px; padding: 2px 10px; width: 240px; min-width: 0; max-width: none; }
.swagger-ui .parameters-container td.parameters-col_description > .renderedMarkdown { flex: 1; min-width: 16em; }
.swagger-ui .parameters-container td.parameters-col_description > .renderedMarkdown p { margin: 0; font-size: 13px; line-height: 1.25; }
.swagger-ui .parameters-container .model-example { width: 100%; margin: 0; }
.swagger-ui .parameters-container .model-example:has(.filter) > .tab,
.swagger-ui .parameters-container tr:has(.filter) .parameter__type { display: none; }
.swagger-ui .filter { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 1em; margin: 0; }
.swagger-ui .filter-condition { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 4px; }
.swagger-ui .filter-condition select, .swagger-ui .filter-condition input { height: 28px; min-width: 0; margin: 0; }
.swagger-ui .filter-condition select { padding: 2px 26px 2px 8px; font-weight: 400; }
.swagger-ui .filter-condition select:first-child { width: 124px; font-family: monospace; }
.swagger-ui .filter-condition > :nth-child(2) { width: 210px; }
.swagger-ui .filter-condition input { padding: 2px 8px; border: 1px solid #d9d9d9; border-radius: 4px; }
.swagger-ui .parameters-container input::placeholder { color: #767676; font-size: 13px; }
.swagger-ui .filter-words { font-size: 13px; margin-left: .5em; }
.swagger-ui .filter-add { height: 24px; padding: 0 8px; border: 1px solid #8888; border-radius: 4px; background: none; color: inherit; font-size: 12px; cursor: pointer; }
@media (max-width: 640px) {
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui .parameters-container table.parameters > tbody > tr { grid-template-columns: 1fr; padding-block: 4px; }
  .swagger-ui .parameters-container table.parameters > tbody > tr > td { min-height: 0; }
  .swagger-ui .filter-condition > :nth-child(2) { flex: 1; }
  .swagger-ui .filter-words { width: 100%; margin-left: 0; }
}`;

/** Whether Swagger UI is installed. Its files are larger than all of servicekit, and only development needs it. */
export const hasSwagger = (): boolean => isInstalled("swagger-ui-express", import.meta.url);

/**
 * Creates the page of Swagger UI, loaded at the first request.
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
    customJs: `./${filterInputs}`,
    customSiteTitle: escapeHtml(customSiteTitle),
    // A text inside the style must not close the element.
    customCss: `${style}\n${customCss.replaceAll("</", "<\\/")}`,
    swaggerOptions,
  });
  const [init] = swaggerUi.serveFiles(undefined, { swaggerOptions });
  return {
    html: (base) =>
      html
        .replaceAll(/=(["'])\.\//g, `=$1${base}`)
        .replace("<head>", '<head>\n  <meta name="viewport" content="width=device-width, initial-scale=1">'),
    init: init as RequestHandler,
    files,
    directory: getAbsoluteFSPath(),
  };
}
