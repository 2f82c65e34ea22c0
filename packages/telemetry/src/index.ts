export type { MetricSources } from "./metrics/gauge-sources.js";
export type { WorkerMetrics } from "./metrics/join-metrics.js";
export { type Metrics, type MetricsContext, type MetricWorkers, openMetrics } from "./metrics/open-metrics.js";
export { openTracing, type Tracing, type TracingOptions } from "./tracing/open-tracing.js";
export { traceHeaders } from "./tracing/request-trace.js";
