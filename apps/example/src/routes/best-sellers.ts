import { type AuthenticationConfig, ServiceRouter } from "@servicekit/service";
import { z } from "zod";
import { contextOf } from "../context.js";
import { Prisma } from "../generated/prisma/client.js";

const query = z
  .strictObject({
    from: z.iso.date().optional(),
    until: z.iso.date().optional(),
    limit: z.int().min(1).max(100).default(10),
  })
  .refine(({ from, until }) => from === undefined || until === undefined || from <= until, {
    path: ["until"],
    message: "must not be before from",
  });

const bestSellers = z.object({
  data: z.array(
    z.object({ productId: z.int(), sku: z.string(), name: z.string(), pieces: z.int(), revenue: z.string() }),
  ),
});

/** The API documentation of the route. */
const openapi = {
  summary: "What sold most, by the revenue it made.",
  description: "Without cancelled and returned orders; `from` and `until` are days, both included.",
  tags: ["Reports"],
  responses: { 200: { description: "The products, best first.", content: bestSellers } },
};

interface BestSeller {
  readonly productId: number;
  readonly sku: string;
  readonly name: string;
  readonly pieces: number;
  /** In euros. */
  readonly revenue: string;
}

/** `GET /api/reports/best-sellers`: the best-selling products between two days, inclusive. */
export function makeBestSellersRouter(authentication?: AuthenticationConfig): ServiceRouter {
  const router = ServiceRouter();
  const access = authentication === undefined ? {} : { authentication };
  router.get(
    { path: "/api/reports/best-sellers", validation: { query }, experimental: { openapi }, mcp: true, ...access },
    async (request, response) => {
      const { from, until, limit } = request.query;
      const since = from === undefined ? Prisma.empty : Prisma.sql`AND o.placed_at >= ${from}::date`;
      const before = until === undefined ? Prisma.empty : Prisma.sql`AND o.placed_at < ${until}::date + 1`;
      const data = await contextOf(request).client.$queryRaw<BestSeller[]>`
      SELECT p.id AS "productId", p.sku, p.name, sum(i.quantity)::int AS pieces,
             sum(i.quantity * i.unit_price)::text AS revenue
      FROM order_items i JOIN orders o ON o.id = i.order_id JOIN products p ON p.id = i.product_id
      WHERE o.status NOT IN ('CANCELLED', 'sent-back') ${since} ${before}
      GROUP BY p.id
      ORDER BY sum(i.quantity) DESC, sum(i.quantity * i.unit_price) DESC, p.id
      LIMIT ${limit}`;
      response.json({ data });
    },
  );
  return router;
}
