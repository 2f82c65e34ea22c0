import { createSecretKey, type KeyObject } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { jwtVerify } from "jose";
import { PrismaClient } from "../generated/prisma/client.js";
import { priceQuote, quoteSchema } from "../quotes/quote.js";
import { pageLinks } from "../shop/page-links.js";
import { changedProduct, listQuery, newProduct, present, rowId, shown, toOrder } from "../shop/product-schemas.js";

/** The response of a route, before a framework sends it. */
export interface PeerResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The routes of the shop without any framework, which every peer with Prisma mounts. */
export interface PeerHandlers {
  welcome(): PeerResponse;
  quote(body: unknown): PeerResponse;
  list(query: unknown, url: string): Promise<PeerResponse>;
  read(id: string): Promise<PeerResponse>;
  create(body: unknown): Promise<PeerResponse>;
  update(id: string, body: unknown): Promise<PeerResponse>;
  /** A branch, for signed-in users. */
  readBranch(id: string, authorization: string | undefined): Promise<PeerResponse>;
}

export const welcomeMessage = "Welcome!";
const rejected = (errors: unknown): PeerResponse => ({ status: 400, body: { errors } });
const missing: PeerResponse = { status: 404, body: { message: "There is no row with this id." } };

/** The key with which every target verifies tokens. */
export const tokenKey = (): KeyObject => createSecretKey(Buffer.from(process.env.JWT_SECRET ?? ""));

export function makePrismaHandlers(): PeerHandlers {
  const connectionString = process.env.DATABASE_URL ?? "";
  const { product, branch, user } = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 10 }) });
  const key = tokenKey();
  return {
    welcome: () => ({ status: 200, body: { message: welcomeMessage } }),
    quote: (body) => {
      const read = quoteSchema.safeParse(body);
      return read.success ? { status: 200, body: priceQuote(read.data) } : rejected(read.error.issues);
    },
    list: async (query, url) => {
      const read = listQuery.safeParse(query);
      if (!read.success) return rejected(read.error.issues);
      const { status, price, sort = "id", page, limit, count, include } = read.data;
      const where = { ...(status && { status }), ...(price && { price: present(price) }) };
      const rows = product.findMany({
        where,
        orderBy: toOrder(sort),
        take: limit,
        skip: (page - 1) * limit,
        ...(include && { include: { category: true } }),
      });
      if (count === "false") {
        const data = (await rows).map(shown);
        return { status: 200, body: { data, meta: { count: data.length, limit, page } } };
      }
      const [found, total] = await Promise.all([rows, product.count({ where })]);
      const data = found.map(shown);
      const pages = Math.ceil(total / limit);
      const headers = { Link: pageLinks(url, page, pages) };
      return { status: 200, body: { data, meta: { total, count: data.length, limit, page, pages } }, headers };
    },
    read: async (text) => {
      const id = rowId.safeParse(text);
      const row = id.success ? await product.findUnique({ where: { id: id.data } }) : null;
      return row === null ? missing : { status: 200, body: { data: shown(row) } };
    },
    create: async (body) => {
      const read = newProduct.safeParse(body);
      if (!read.success) return rejected(read.error.issues);
      const row = await product.create({ data: present(read.data) });
      return { status: 201, body: { data: shown(row) }, headers: { Location: `/api/products/${row.id}` } };
    },
    update: async (text, body) => {
      const id = rowId.safeParse(text);
      const read = changedProduct.safeParse(body);
      if (!id.success) return missing;
      if (!read.success) return rejected(read.error.issues);
      return {
        status: 200,
        body: { data: await product.update({ where: { id: id.data }, data: present(read.data) }) },
      };
    },
    readBranch: async (text, authorization = "") => {
      const id = rowId.safeParse(text);
      const { payload } = await jwtVerify(authorization.replace("Bearer ", ""), key, { algorithms: ["HS256"] });
      const caller = await user.findUnique({ where: { id: Number(payload.sub) } });
      if (!caller?.isActive) return { status: 401, body: { message: "Sign in first." } };
      const row = id.success ? await branch.findUnique({ where: { id: id.data } }) : null;
      return row === null ? missing : { status: 200, body: { data: row } };
    },
  };
}
