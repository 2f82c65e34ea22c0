import { firstClients, httpEffort, toHttpSubject, withSides } from "../measure/http-subject.js";
import { measureInRounds, type Subject } from "../measure/rounds.js";
import { checkSameAnswers } from "../measure/same-answers.js";
import { type Section, showCost, showRatio } from "../report.js";
import { withShopDatabase } from "./shop-database.js";
import { makeShopRequests } from "./shop-requests.js";

const names = ["shop by service", "shop by hand"] as const;

/** Generated routes over PostgreSQL, beside routes written by hand. */
export async function shopSections(): Promise<Section[]> {
  const rows: string[][] = [];
  let rounds = 0;
  await withShopDatabase((databaseUrl) =>
    withSides(names, { DATABASE_URL: databaseUrl }, async (sides) => {
      for (const { title, next, variable = [] } of makeShopRequests()) {
        await checkSameAnswers(firstClients(sides), next, { count: 40, variable });
        const [ours, theirs] = sides.map((side) => toHttpSubject(side, next)) as [Subject, Subject];
        const measured = await measureInRounds([ours, theirs], [[ours, theirs]], httpEffort);
        rounds = Math.max(rounds, measured.rounds);
        const ratio = showRatio(measured.ratio(ours, theirs));
        rows.push([title, showCost(measured.cost(ours)), showCost(measured.cost(theirs)), ratio]);
      }
    }),
  );
  return [
    {
      title: "Generated routes over PostgreSQL",
      text: "A service without a line of code for its routes, beside the same API written by hand with Express 5, Prisma 7 and Zod 4: the same tables, the same middlewares (request id, JSON, query), the same checks. Before measuring, status, headers and bodies of both sides are held against each other.",
      headings: ["", "service, µs", "by hand, µs", "service ÷ by hand"],
      rows,
      rounds,
    },
  ];
}
