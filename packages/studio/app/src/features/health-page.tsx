import { useQuery } from "@tanstack/react-query";
import { useRoutes } from "../api/discovery.js";
import { sendRaw } from "../api/shop.js";
import { Problem, Waiting } from "../ui/problem.js";
import "../ui/tiles.css";

const every = 10_000;

/** Whether the service is ready, and its figures where they are at a path that the visitor may read. */
export function HealthPage() {
  const routes = useRoutes();
  const figures = routes.data?.find(
    ({ resource, method, allowed }) => resource === "metrics" && method === "GET" && allowed !== false,
  );
  return (
    <>
      <h1>Health</h1>
      <div className="tiles">
        <Probe title="Live" path="/api/health/live" />
        <Probe title="Ready" path="/api/health/ready" />
      </div>
      <h2>Figures</h2>
      {figures === undefined ? (
        <p className="dim">There are no figures at a path that you may read (metrics of the configuration).</p>
      ) : (
        <Figures path={figures.path} />
      )}
    </>
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
        <p className={status === 200 ? "yes" : "bad"}>{status === 200 ? "yes" : `no (${status ?? "no answer"})`}</p>
      )}
      <Problem error={probe.error} />
      {probe.data !== undefined && <pre>{probe.data.text}</pre>}
    </section>
  );
}

interface Figure {
  readonly name: string;
  readonly value: string;
}

/** The lines of the text format of Prometheus that are values. */
const readFigures = (text: string): readonly Figure[] =>
  text.split("\n").flatMap((line) => {
    const [, name, value] = /^([^#\s]\S*(?:\{.*\})?)\s+(\S+)$/.exec(line) ?? [];
    return name === undefined || value === undefined || /_bucket\b/.test(name) ? [] : [{ name, value }];
  });

function Figures({ path }: { readonly path: string }) {
  const figures = useQuery({
    queryKey: ["figures", path],
    queryFn: () => sendRaw("GET", path, ""),
    refetchInterval: every,
  });
  if (figures.isPending) return <Waiting />;
  return (
    <>
      <Problem error={figures.error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className="scroll" aria-label="Figures" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Figure</th>
              <th>Value</th>
            </tr>
          </thead>
          <tbody>
            {readFigures(figures.data?.text ?? "").map(({ name, value }) => (
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
