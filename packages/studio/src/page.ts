import { randomBytes } from "node:crypto";
import { escapeHtml } from "@servicekit/core/internal";

/** The data that the page has before its first request; all of it is public. */
export interface StudioInfo {
  /** The path of the page below the root of the application, such as `/api/studio`. */
  readonly path: string;
  /** The name of the application. */
  readonly title: string;
  /** The path of the OpenAPI document; null if it is not served. */
  readonly document: string | null;
  /** How users sign in; null without authentication. */
  readonly signIn: {
    /** The fields that identify a user at the login, such as `username`; empty if users sign in elsewhere. */
    readonly usernames: readonly string[];
    /** Whether permissions are stored in the database (contract C29). */
    readonly isDynamic: boolean;
  } | null;
}

/** The files that the page loads, relative to it. */
export interface PageFiles {
  readonly script: string;
  readonly styles: readonly string[];
}

/** A page and its policy. */
export interface StudioPage {
  readonly html: string;
  /** The value of `Content-Security-Policy`. */
  readonly policy: string;
}

/**
 * Writes the page. Only scripts with its nonce run, and those that they import, so that an uploaded file on the same
 * host does not run.
 */
export function writePage(data: StudioInfo, { script, styles }: PageFiles): StudioPage {
  const nonce = randomBytes(16).toString("base64url");
  const links = styles.map((file) => `  <link rel="stylesheet" href="${file}">\n`).join("");
  return {
    html: `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${escapeHtml(data.title)}</title>
  <link rel="icon" href="data:,">
${links}</head>
<body>
  <div id="studio"></div>
  <noscript>The studio requires JavaScript.</noscript>
  <script type="application/json" id="page-data">${JSON.stringify(data).replace(/</g, "\\u003c")}</script>
  <script type="module" nonce="${nonce}" src="${script}"></script>
</body>
</html>
`,
    policy: [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  };
}
