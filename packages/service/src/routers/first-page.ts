import { sendText } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import type { ServiceSettings } from "../config/settings.js";

/** Whether the request is from a browser: programs that accept anything get JSON. */
const isBrowser = (request: Request): boolean => request.accepts(["application/json", "text/html"]) === "text/html";

/**
 * The page with links for a browser in development (programs get JSON). At `/` it is after all routes; at `/api` before
 * the welcome endpoint, if that is ours.
 */
export function firstPage(settings: ServiceSettings, path: "/" | "/api"): readonly RequestHandler[] {
  const { nodeEnv, routers, replacedRouters, disabledRouters } = settings;
  const isWelcomeOwned =
    routers.welcomeRoute === undefined &&
    !replacedRouters.has("welcome-endpoint") &&
    !disabledRouters.has("welcome-endpoint");
  if (nodeEnv !== "development" || (path === "/api" && !isWelcomeOwned)) return [];
  const html = pageOf(settings);
  return [
    (request: Request, response: Response, next) => {
      const isRead = request.method === "GET" || request.method === "HEAD";
      if (!isRead || (request.path !== path && request.path !== `${path}/`)) return next();
      response.vary("Accept");
      if (!isBrowser(request)) return next();
      response.setHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'");
      sendText(response, 200, "text/html; charset=utf-8", html);
    },
  ];
}

function pageOf({ apiDocs, studio, disabledRouters }: ServiceSettings): string {
  const links = [
    ...(apiDocs.enabled && !disabledRouters.has("api-docs")
      ? [
          [apiDocs.endpoint, "Swagger UI"],
          [`${apiDocs.endpoint}/reference`, "API reference (Scalar)"],
          [`${apiDocs.endpoint}.json`, "The OpenAPI document"],
        ]
      : []),
    ...(studio && !disabledRouters.has("studio") ? [["/api/studio", "Studio: browse and edit data"]] : []),
    ...(disabledRouters.has("available-routes") ? [] : [["/api/available-routes", "All routes"]]),
    ...(disabledRouters.has("health") ? [] : [["/api/health/ready", "Readiness"]]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>This is an API</title>
  <style>
    body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
    code { color: #444; }
    a { color: #0a4fa3; }
    @media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } code { color: #bbb; } a { color: #8ab8ff; } }
  </style>
</head>
<body>
  <h1>This is an API</h1>
  <p>It runs in development. Programs get JSON here; for people there is:</p>
  <ul>
${links.map(([href, words]) => `    <li><a href="${href}">${words}</a> <code>${href}</code></li>`).join("\n")}
  </ul>
</body>
</html>
`;
}
