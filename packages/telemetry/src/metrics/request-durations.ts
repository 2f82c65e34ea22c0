/** Seconds; the last is the default of `timeouts.request`. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Other methods share the label "other", so that clients cannot create series without limit. */
const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The observations of one method, route and status. */
interface Series {
  readonly labels: string;
  /** The number of requests per bucket; the last bucket is +Inf. */
  readonly counts: number[];
  seconds: number;
}

const name = "http_request_duration_seconds";

/**
 * A Prometheus histogram of request durations. It runs for every request, so it counts in plain numbers: histograms of
 * `prom-client` build a string of the labels for each observation.
 */
export function makeRequestDurations() {
  const all: Series[] = [];
  const stored = new Map<string, Map<string, Series[]>>();

  const seriesOf = (method: string, route: string, status: number): Series => {
    const ofRoute = stored.get(route) ?? new Map<string, Series[]>();
    const ofMethod = ofRoute.get(method) ?? [];
    let series = ofMethod[status];
    if (series === undefined) {
      const labels = `method="${method}",route="${escapeLabel(route)}",status="${status}"`;
      series = { labels, counts: Array.from({ length: bounds.length + 1 }, () => 0), seconds: 0 };
      ofMethod[status] = series;
      stored.set(route, ofRoute.set(method, ofMethod));
      all.push(series);
    }
    return series;
  };

  return {
    observe(given: string, route: string, status: number, seconds: number): void {
      const series = seriesOf(knownMethods.has(given) ? given : "other", route, status);
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] as number)) at++;
      series.counts[at] = (series.counts[at] as number) + 1;
      series.seconds += seconds;
    },
    /** In the text format of Prometheus. */
    text: (): string => {
      const help = "Duration of requests, from the request headers to the end of the response.";
      return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...all.flatMap(linesOf), ""].join("\n");
    },
  };
}

function linesOf({ labels, counts, seconds }: Series): string[] {
  let count = 0;
  const buckets = counts.map((own, at) => {
    count += own;
    return `${name}_bucket{le="${bounds[at] ?? "+Inf"}",${labels}} ${count}`;
  });
  return [...buckets, `${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} ${count}`];
}

const escapeLabel = (text: string): string =>
  text.replace(/[\\"\n]/g, (letter) => (letter === "\n" ? "\\n" : `\\${letter}`));
