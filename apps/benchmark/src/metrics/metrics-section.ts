import { httpEffort, toHttpSubject, withTargets } from "../measure/http-subject.js";
import type { LoadRequest } from "../measure/load.js";
import { measureInRounds, type Subject } from "../measure/rounds.js";
import { type Section, showCost, showRatio } from "../report.js";
import { withShopDatabase } from "../shop/shop-database.js";
import { makeShopRequests } from "../shop/shop-requests.js";

/** The others are compared with the first one. */
const names = ["metrics: none", "metrics: metrics", "metrics: traces"] as const;

/** The cost of metrics and traces (contract C69). */
export async function metricsSections(): Promise<Section[]> {
  const welcome = { title: "welcome", next: (): LoadRequest => ({ method: "GET", path: "/api" }) };
  const rows: string[][] = [];
  let rounds = 0;
  await withShopDatabase((databaseUrl) =>
    withTargets(names, { DATABASE_URL: databaseUrl }, async (targets) => {
      for (const { title, next } of [welcome, ...makeShopRequests().slice(0, 2)]) {
        const subjects = targets.map((target) => toHttpSubject(target, next)) as [Subject, Subject, Subject];
        const [plain, ...others] = subjects;
        const pairs = others.map((subject) => [subject, plain] as const);
        const measured = await measureInRounds(subjects, pairs, httpEffort);
        rounds = Math.max(rounds, measured.rounds);
        const ratios = others.map((subject) => showRatio(measured.ratio(subject, plain)));
        rows.push([title, showCost(measured.cost(plain)), ...ratios]);
      }
    }),
  );
  return [
    {
      title: "Metrics and traces",
      text: "The shop with `metrics`, and with an OpenTelemetry SDK that records every span of every request and statement, compared with neither.",
      headings: ["", "without, µs", "metrics ÷ without", "every span ÷ without"],
      rows,
      rounds,
    },
  ];
}
