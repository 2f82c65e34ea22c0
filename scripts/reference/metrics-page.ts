import { createRequire } from "node:module";
import { openMetrics } from "../../packages/telemetry/src/index.js";
import { makeRequestDurations } from "../../packages/telemetry/src/metrics/request-durations.js";
import { code, generated, plain, table } from "./markdown.js";

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** The values that were seen of each label. */
  readonly labels: Map<string, Set<string>>;
}

/** Labels whose values come from requests or from Node: the page does not list them. */
const openLabels: ReadonlySet<string> = new Set(["method", "route", "status", "code", "queue", "consumer", "replica"]);

/** docs/reference/metrics.md, from the metrics that `@servicekit/telemetry` registers. */
export async function metricsPage(): Promise<string> {
  const metrics = await openMetrics(
    { port: 0 },
    {
      poolState: () => ({ size: 10, used: 0, idle: 0, waiting: 0 }),
      replicas: () => [{ name: "replica:5432/shop", isInRotation: true, lagMs: 0 }],
      passwords: () => ({ running: 0, waiting: 0 }),
      isRedisUp: () => true,
      jobCounts: async () => [{ name: "mails", queued: 0, active: 0, retrying: 0, failed: 0 }],
      consumerLags: async () => [{ consumer: "webhooks", changes: 0, seconds: 0 }],
      eventStreams: () => 0,
      hasWebhooks: true,
    },
  );
  metrics.countRejection("Overloaded");
  for (const outcome of ["completed", "retried", "failed"] as const)
    metrics.observeJob({ queue: "mails", outcome, seconds: 1 });
  const text = await metrics.text();
  metrics.release();
  const durations = makeRequestDurations();
  durations.observe("GET", "/", 200, 1);
  const process = processMetrics();
  const names = new Set(process.map(([name]) => name));
  const own = [...readMetrics(durations.text()), ...readMetrics(text)].filter(
    ({ name }, at, all) => !names.has(code(name)) && all.findIndex((other) => other.name === name) === at,
  );
  const bounds = [...durations.text().matchAll(/_bucket\{le="([\d.]+)"/g)].map(([, bound]) => bound);
  const heads = ["metric", "type", "labels", "meaning"];
  return `# Metrics

${generated}

Every metric of a service, with its type and labels. Set [\`metrics\`](configuration.md) to export them in the Prometheus text format;
[Operation](../guides/operation.md) shows how to read them.

## Service

${table(
  heads,
  own.map(({ name, type, labels, help }) => [code(name), type, labelsCell(labels), plain(help)]),
)}

- \`route\` is the pattern of the route, such as \`/api/users/:id\`, or \`(no route)\`. \`status\` is 499 if the client disconnected before the
  response ended. \`method\` is \`other\` for methods that HTTP does not define.
- \`code\` is the [error code](errors.md) of a response with status 413, 429 or 503.
- The buckets of \`http_request_duration_seconds\` end at ${bounds.join(", ")} seconds and \`+Inf\`. Its \`_count\` is the number of requests.
- \`database_pool_…\` needs a \`database.client\` that servicekit connects, \`database_replica_…\` needs [replicas](../guides/replicas.md), \`password_hashes_in_flight\` needs \`authentication\`, and \`redis_up\`
  needs \`redis.url\`. \`jobs\` and \`job_duration_seconds\` need [jobs](../guides/background-jobs.md), subscribers, webhooks or
  [\`cache.purge\`](../guides/caching.md#remove-changed-rows-from-a-cdn), \`change_lag…\` needs one of the last three, \`event_streams_open\` needs a model with [events](../guides/live-updates.md), and \`webhook…\` needs
  [\`webhooks\`](../guides/webhooks.md). Otherwise these metrics are absent.
- \`jobs\` and \`change_lag…\` are counted in the database when the metrics are read, so every process reports the same numbers. A
  \`consumer\` is \`<module>.events\` for the subscribers of a module, \`webhooks\` or \`cache-purge\`; its jobs are in the queue of the same name.
- \`job_duration_seconds_count\` with the outcome \`failed\` is the number of jobs that have failed for good, and with \`retried\` that of
  failed attempts that are repeated.
- With several \`workers\` every metric has the label \`worker\` too, from 1.

## Process

These metrics are those of [prom-client](https://github.com/siimon/prom-client#default-metrics) on Linux. Other systems lack some of them.

${table(heads, process)}
`;
}

/** The part of `prom-client` that is used here. It is a dependency of the package only. */
interface PromClient {
  readonly Registry: new () => { getMetricsAsArray(): readonly DefaultMetric[] };
  collectDefaultMetrics(options: { readonly register: unknown }): void;
}

interface DefaultMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** The default metrics of the Prometheus client, which are registered beside those of the service. */
function processMetrics(): string[][] {
  const require = createRequire(new URL("../../packages/telemetry/package.json", import.meta.url));
  const { Registry, collectDefaultMetrics } = require("prom-client") as PromClient;
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register
    .getMetricsAsArray()
    .map((metric) => [
      code(metric.name),
      metric.constructor.name.toLowerCase(),
      (metric.labelNames ?? []).map(code).join(", "),
      plain(metric.help),
    ]);
}

/** The metrics of a page in the text format of Prometheus. */
function readMetrics(text: string): Metric[] {
  const found: Metric[] = [];
  for (const line of text.split("\n")) {
    const [, name = "", help = ""] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    const [, typed, type = ""] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    const last = found.at(-1);
    if (name !== "") found.push({ name, help, type: "", labels: new Map() });
    else if (typed !== undefined) found.push({ ...(found.pop() as Metric), type });
    else if (last !== undefined) {
      for (const [, label = "", value = ""] of line.matchAll(/(\w+)="([^"]*)"/g)) {
        if (label !== "le") last.labels.set(label, (last.labels.get(label) ?? new Set()).add(value));
      }
    }
  }
  return found;
}

const labelsCell = (labels: Metric["labels"]): string =>
  [...labels]
    .map(([name, values]) => code(name) + (openLabels.has(name) ? "" : `: ${[...values].map(code).join(", ")}`))
    .join(", ");
