import { randomBytes } from "node:crypto";

/** What the page is told before it asks the API anything: nothing that a stranger may not know. */
export interface StudioFacts {
  /** The path of the page below the root of the application, such as `/api/studio`. */
  readonly path: string;
  /** Where the OpenAPI document is; null where it is not served. */
  readonly document: string | null;
  /** How people sign in; null where nobody does. */
  readonly signIn: {
    /** The fields that name a user at the login, such as `username`; none where people sign in elsewhere. */
    readonly usernames: readonly string[];
    /** Whether rights are stored in the database (contract C29). */
    readonly isDynamic: boolean;
  } | null;
}

/** The files that the page loads, relative to it. */
export interface PageFiles {
  readonly script: string;
  readonly styles: readonly string[];
}

/** A page with the policy that belongs to it. */
export interface StudioPage {
  readonly html: string;
  /** The value of `Content-Security-Policy`. */
  readonly policy: string;
}

/**
 * Writes the page. Only scripts with its nonce run, and those that they import: no file that somebody has uploaded to the
 * same host is one.
 */
export function writePage(facts: StudioFacts, { script, styles }: PageFiles): StudioPage {
  const nonce = randomBytes(16).toString("base64url");
  const links = styles.map((file) => `  <link rel="stylesheet" href="${file}">\n`).join("");
  return {
    html: `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Studio</title>
  <link rel="icon" href="data:,">
${links}</head>
<body>
  <div id="studio"></div>
  <noscript>The studio needs JavaScript.</noscript>
  <script type="application/json" id="facts">${JSON.stringify(facts).replace(/</g, "\\u003c")}</script>
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
