import { firstClients, httpEffort, toHttpSubject, withSides } from "../measure/http-subject.js";
import type { LoadRequest } from "../measure/load.js";
import { measureInRounds, type Subject } from "../measure/rounds.js";
import { checkSameAnswers } from "../measure/same-answers.js";
import { type Section, showCost, showRatio } from "../report.js";

/** The last one is what the others are held against. */
const names = ["quotes by service", "quotes by service, plain server", "quotes by router", "quotes by hand"] as const;

const titles = [
  "service",
  "service, Node's plain server",
  "`ServiceRouter` in an Express application",
  "Express by hand",
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
  { title: "a body checked with Zod", request: { method: "POST", path: "/quotes", body } },
  { title: "an empty answer", request: { method: "GET", path: "/empty" } },
];

/** A declared route without a database, beside one written by hand. */
export function quotesSections(): Promise<Section[]> {
  return withSides(names, {}, async (sides) => {
    const rows: string[][] = [];
    let rounds = 0;
    for (const { title, request } of kinds) {
      const next = (): LoadRequest => request;
      await checkSameAnswers(firstClients(sides), next, { count: 3 });
      const subjects = sides.map((side) => toHttpSubject(side, next));
      const byHand = subjects.at(-1) as Subject;
      const measured = await measureInRounds(
        subjects,
        subjects.slice(0, -1).map((subject) => [subject, byHand] as const),
        httpEffort,
      );
      rounds = Math.max(rounds, measured.rounds);
      subjects.forEach((subject, place) => {
        const ratio = subject === byHand ? "1" : showRatio(measured.ratio(subject, byHand));
        rows.push([`${title}: ${titles[place]}`, showCost(measured.cost(subject)), ratio]);
      });
    }
    return [
      {
        title: "Declared routes",
        text: "A declared route with Zod body validation, and one with an empty answer, beside the same routes in Express 5 with the same middlewares (request id, `express.json`, `safeParse`). Node's plain server is the service without `makeServer`, which gives requests and responses Express's prototypes from the start.",
        headings: ["", "µs", "÷ by hand"],
        rows,
        rounds,
      },
    ];
  });
}
