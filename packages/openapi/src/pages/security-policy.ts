import type { RequestHandler } from "express";

/** A documentation page may load only its own files, because it needs no other host. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Both pages add style elements to the document.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * The content security policy of the documentation pages.
 *
 * @param servers the origins that "Try it out" calls besides the page's own
 */
export function securityPolicy(servers: readonly string[]): RequestHandler {
  const origins = servers.flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : []));
  const text = policy
    .map((line) => (line.startsWith("connect-src") ? [line, ...new Set(origins)].join(" ") : line))
    .join("; ");
  return (_request, response, next) => {
    response.setHeader("Content-Security-Policy", text);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    next();
  };
}
