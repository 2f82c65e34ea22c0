import type { Server } from "node:http";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import service, { type ServiceInitConfig } from "@servicekit/service";
import { PrismaClient } from "../generated/prisma/client.js";
import { models } from "../generated/service/models.js";
import { sameMiddlewares } from "../hand-written/same-middlewares.js";

/** The shop without metrics, with metrics, or with a span for each request and statement. */
export async function serveMetrics(kind: "none" | "metrics" | "traces"): Promise<Server> {
  // Every span is recorded and exported in batches; the cost of the receiver does not count.
  const exporter = { export: (_spans: unknown, done: (result: { code: number }) => void) => done({ code: 0 }) };
  if (kind === "traces") {
    const processor = new BatchSpanProcessor({ ...exporter, shutdown: async () => undefined });
    new NodeTracerProvider({ spanProcessors: [processor] }).register();
  }
  const config: ServiceInitConfig = {
    middlewares: sameMiddlewares,
    database: { client: ({ adapter }) => new PrismaClient({ adapter }), models },
    ...(kind === "metrics" ? { metrics: { port: 0 } } : {}),
  };
  const { server } = await service.create(config);
  return server;
}
