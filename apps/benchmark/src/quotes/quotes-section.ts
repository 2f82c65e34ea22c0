import { firstClients, httpEffort, toHttpSubject, withTargets } from "../measure/http-subject.js";
import type { LoadRequest } from "../measure/load.js";
import { measureInRounds, type Subject } from "../measure/rounds.js";
import { checkSameResponses } from "../measure/same-responses.js";
import { type Section, showCost, showRatio } from "../report.js";

/** The others are compared with the last one. */
const names = [
  "quotes by service",
  "quotes by service, plain server",
  "quotes by router",
  "quotes by Express",
] as const;

const titles = [
  "service",
  "service, Node's plain server",
  "`ServiceRouter` in an Express application",
  "hand-written Express",
] as const;

const body = JSON.stringify({
  customer: "Ada Lovelace",
  email: "ada@example.com",
  country: "FR",
  express: true,
  note: "Please ring twice.",
  items: [
    { sku: "TE-1042", quantity: 2, price: 219.9 },
    { sku: "LA-2210", quantity: 1, price: 49.95 },
    { sku: "MU-0007", quantity: 12, price: 7.5 },
  ],
});

const kinds: readonly { readonly title: string; readonly request: LoadRequest }[] = [
  { title: "body validated with Zod", request: { method: "POST", path: "/quotes", body } },
  { title: "empty response", request: { method: "GET", path: "/empty" } },
];

/** A declared route without a database, compared with a hand-written one. */
export function quotesSections(): Promise<Section[]> {
  return withTargets(names, {}, async (targets) => {
    const rows: string[][] = [];
    let rounds = 0;
    for (const { title, request } of kinds) {
      const next = (): LoadRequest => request;
      await checkSameResponses(firstClients(targets), next, { count: 3 });
      const subjects = targets.map((target) => toHttpSubject(target, next));
      const handWritten = subjects.at(-1) as Subject;
      const measured = await measureInRounds(
        subjects,
        subjects.slice(0, -1).map((subject) => [subject, handWritten] as const),
        httpEffort,
      );
      rounds = Math.max(rounds, measured.rounds);
      subjects.forEach((subject, place) => {
        const ratio = subject === handWritten ? "1" : showRatio(measured.ratio(subject, handWritten));
        rows.push([`${title}: ${titles[place]}`, showCost(measured.cost(subject)), ratio]);
      });
    }
    return [
      {
        title: "Declared routes",
        text: "A declared route with Zod body validation, and one with an empty response, compared with the same routes in hand-written Express 5 with the same middleware (request id, `express.json`, `safeParse`). “Node's plain server” is a service behind `http.createServer(app)` instead of its own server.",
        headings: ["", "µs", "÷ hand-written"],
        rows,
        rounds,
      },
    ];
  });
}
