import { useQuery } from "@tanstack/react-query";
import { useMayCall, useRoutes } from "../api/discovery.js";
import { callRoute, sendRaw } from "../api/shop.js";
import { Problem, Waiting } from "../ui/problem.js";
import "../ui/tiles.css";

const every = 10_000;
const detailsPath = "/api/health/details";

/** The readiness of the service, and its metrics if the visitor may read their path. */
export function HealthPage() {
  const routes = useRoutes();
  const hasDetails = useMayCall("GET", detailsPath);
  const metrics = routes.data?.find(
    ({ resource, method, allowed }) => resource === "metrics" && method === "GET" && allowed !== false,
  );
  return (
    <>
      <h1>Health</h1>
      <div className="tiles">
        <Probe title="Live" path="/api/health/live" />
        <Probe title="Ready" path="/api/health/ready" />
        {hasDetails && <Background />}
      </div>
      <h2>Metrics</h2>
      {metrics === undefined ? (
        <p className="dim">No metrics are available at a path that you may read (see metrics in the configuration).</p>
      ) : (
        <Metrics path={metrics.path} />
      )}
    </>
  );
}

/** The state of jobs, subscribers, webhooks and event streams (contract C115). */
function Background() {
  const details = useQuery({
    queryKey: ["health", detailsPath],
    queryFn: async () => ((await callRoute(`GET ${detailsPath}`)) as { readonly data: unknown }).data,
    refetchInterval: every,
  });
  return (
    <section className="card" aria-label="Background">
      <h2>Background</h2>
      {details.isPending && <Waiting />}
      <Problem error={details.error} />
      {details.data !== undefined && <pre>{JSON.stringify(details.data, null, 2)}</pre>}
    </section>
  );
}

function Probe({ title, path }: { readonly title: string; readonly path: string }) {
  const probe = useQuery({
    queryKey: ["health", path],
    queryFn: () => sendRaw("GET", path, ""),
    refetchInterval: every,
  });
  const status = probe.data?.status;
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {probe.isPending ? (
        <Waiting />
      ) : (
        <p className={status === 200 ? "yes" : "bad"}>{status === 200 ? "yes" : `no (${status ?? "no response"})`}</p>
      )}
      <Problem error={probe.error} />
      {probe.data !== undefined && <pre>{probe.data.text}</pre>}
    </section>
  );
}

interface Metric {
  readonly name: string;
  readonly value: string;
}

/** The value lines of the Prometheus text format. */
const readMetrics = (text: string): readonly Metric[] =>
  text.split("\n").flatMap((line) => {
    const [, name, value] = /^([^#\s]\S*(?:\{.*\})?)\s+(\S+)$/.exec(line) ?? [];
    return name === undefined || value === undefined || /_bucket\b/.test(name) ? [] : [{ name, value }];
  });

function Metrics({ path }: { readonly path: string }) {
  const metrics = useQuery({
    queryKey: ["metrics", path],
    queryFn: () => sendRaw("GET", path, ""),
    refetchInterval: every,
  });
  if (metrics.isPending) return <Waiting />;
  return (
    <>
      <Problem error={metrics.error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className="scroll" aria-label="Metrics" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Metric</th>
              <th>Value</th>
            </tr>
          </thead>
          <tbody>
            {readMetrics(metrics.data?.text ?? "").map(({ name, value }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td className="number">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
