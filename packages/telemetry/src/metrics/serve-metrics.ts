import type { Server } from "node:http";
import { type AuthenticationConfig, ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";

/** The content that is served. */
interface MetricsPage {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** The server of `metrics.port`: it serves only `/metrics`. It does not listen yet. */
export function makeMetricsServer({ contentType, text }: MetricsPage): Server {
  return process.getBuiltinModule("node:http").createServer((request, response) => {
    const [path] = (request.url ?? "").split("?");
    if (path !== "/metrics") return void response.writeHead(404).end();
    if (request.method !== "GET") return void response.writeHead(405, { allow: "GET" }).end();
    text().then(
      (metrics) => response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(metrics),
      () => response.writeHead(500).end(),
    );
  });
}

/** The route of `metrics.path`. */
export function makeMetricsRouter(
  { contentType, text }: MetricsPage,
  { path, authentication }: { readonly path: string; readonly authentication: AuthenticationConfig },
): ServiceRouter {
  const router = ServiceRouter();
  declareRoute(router, {
    method: "get",
    config: {
      path,
      queryParser: false,
      validation: { body: false },
      ...(authentication === false ? {} : { authentication }),
      experimental: {
        openapi: {
          summary: "Get the metrics",
          tags: ["Metrics"],
          responses: {
            200: {
              description: "The metrics in the text format of Prometheus.",
              content: { [contentType]: { schema: { type: "string" } } },
            },
          },
        },
      },
    },
    handlers: [
      async (_request, response) => {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Content-Type", contentType);
        response.end(await text());
      },
    ],
    origin: { place: "the metrics", resource: "metrics", operation: "metrics" },
  });
  return router;
}
