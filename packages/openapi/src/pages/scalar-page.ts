import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { httpErrors } from "@servicekit/core";
import { escapeHtml, isInstalled } from "@servicekit/core/internal";
import { packageFolder } from "../package-folder.js";

/** The file of Scalar. */
export const scalarFile = "standalone.js";

/** The page of Scalar, which shows the document as a reference. */
export function scalarHtml(title: string, base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(title)}</title>
  <link rel="icon" href="data:,">
</head>
<body>
  <div id="app"></div>
  <script src="${base}scalar.js"></script>
  <script src="${base}scalar-init.js"></script>
</body>
</html>
`;
}

/** The script that starts it. The configuration overrides these settings, but not the location of its files. */
export function scalarInit(documentUrl: string, configuration: object): string {
  // Its assistants call other hosts, which the page's policy forbids.
  const own = {
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    // The group of the models' routes is named "Models" too.
    modelsSectionLabel: "Schemas",
  };
  const settings = { ...own, ...configuration, url: documentUrl, withDefaultFonts: false, telemetry: false };
  const text = JSON.stringify(settings).replace(/</g, "\\u003c");
  return `Scalar.createApiReference("#app", ${text});\n`;
}

/**
 * The folder of Scalar's bundle: the copy made by the build, or the installed package.
 *
 * @throws {HttpError} 404 if there is neither
 */
export function scalarDirectory(): string {
  const copied = path.join(packageFolder, "dist", "scalar");
  if (fs.existsSync(path.join(copied, scalarFile))) return copied;
  if (!isInstalled("@scalar/api-reference", import.meta.url)) {
    throw httpErrors.NotFound("The API reference is not built. Run `npm run build` and reload this page.");
  }
  const entry = createRequire(import.meta.url).resolve("@scalar/api-reference");
  return path.join(entry.slice(0, entry.lastIndexOf("api-reference") + "api-reference".length), "dist", "browser");
}
