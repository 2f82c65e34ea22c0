import { firstClients, toHttpSubject, withTargets } from "../measure/http-subject.js";
import type { LoadRequest } from "../measure/load.js";
import { type Effort, measureInRounds, type Subject } from "../measure/rounds.js";
import { checkSameResponses } from "../measure/same-responses.js";
import { type Section, showCost, showRatio } from "../report.js";
import { rotate, type ShopRequests } from "../shop/shop-requests.js";
import { productCount } from "../shop/shop-rows.js";

const ids = Array.from({ length: 500 }, (_, index) => 1 + ((index * 7919) % productCount));
const get = (path: string): LoadRequest => ({ method: "GET", path });
const lists = Array.from({ length: 20 }, (_, index) => {
  const filter = `status=ACTIVE&price[gte]=${1050 + 100 * index}&price[lt]=${40_000 + 100 * index}`;
  return get(`/api/products?${filter}&sort=-price&limit=20&page=${1 + (index % 4)}`);
});
const product = {
  ...{ name: "A lantern", description: "It burns for forty hours.", status: "ACTIVE", price: 4995, stock: 12 },
  ...{ weight: 0.75, featured: true, releasedAt: "2025-09-01T08:00:00.000Z", categoryId: 7 },
};
let made = 0;
const create = (): LoadRequest => {
  made++;
  return { method: "POST", path: "/api/products", body: JSON.stringify({ sku: `NEW-${made}`, ...product }) };
};
const toChange = (id: number): LoadRequest => ({
  method: "PATCH",
  path: `/api/products/${id}`,
  body: JSON.stringify({ stock: id % 100, price: 4995 }),
});

/** Writes come last, because a longer table changes the lists. */
const requests: readonly ShopRequests[] = [
  { title: "a list of 20 with filter, sort and total", next: rotate(lists) },
  { title: "a product by its id", next: rotate(ids.map((id) => get(`/api/products/${id}`))) },
  // Each twice: the check sends the next request to the second target.
  {
    title: "an update, validated",
    next: rotate(ids.flatMap((id) => [toChange(id), toChange(id)])),
    variable: ["updatedAt"],
  },
  { title: "a product created, validated", next: create, variable: ["id", "sku", "createdAt", "updatedAt"] },
];

const effort: Effort = { warmUp: 4_000_000, round: 250_000, maxRounds: 16 };

/** A service and hand-written Express with Prisma on the same database. */
interface MeasuredProvider extends Pick<Section, "title" | "text"> {
  /** The server of the service, and that of Express. */
  readonly names: readonly [service: string, express: string];
  readonly databaseUrl: string;
}

/**
 * Measures the cost of lists, reads and writes on a database, compared with hand-written Express and Prisma. Each is one
 * process.
 */
export async function measureProvider({ names, databaseUrl, ...section }: MeasuredProvider): Promise<Section> {
  const rows: string[][] = [];
  let rounds = 0;
  await withTargets(
    names,
    { DATABASE_URL: databaseUrl },
    async (targets) => {
      for (const { title, next, variable = [] } of requests) {
        await checkSameResponses(firstClients(targets), next, { count: 20, variable });
        const [service, express] = targets.map((target) => toHttpSubject(target, next)) as [Subject, Subject];
        const measured = await measureInRounds([service, express], [[service, express]], effort);
        rounds = Math.max(rounds, measured.rounds);
        const ratio = showRatio(measured.ratio(service, express));
        rows.push([title, showCost(measured.cost(service)), showCost(measured.cost(express)), ratio]);
      }
    },
    // Processes that write to one file of SQLite wait for each other.
    1,
  );
  const headings = ["", "service, µs", "Express + Prisma, µs", "service ÷ Express + Prisma"];
  return { ...section, headings, rows, rounds };
}
