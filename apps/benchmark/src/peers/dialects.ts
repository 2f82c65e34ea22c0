import type { LoadRequest } from "../measure/load.js";

/** How a peer's API expresses the requests of the service, and what its responses mean. */
export interface Dialect {
  /** The same request in the peer's API. */
  translate(request: LoadRequest): LoadRequest;
  /** The data of a successful response in the form of the service's, and the total if the request has one. */
  read(body: string, request: LoadRequest): Content;
}

/** What a response contains; `missing` if the row does not exist. */
export type Content = { readonly data: unknown; readonly total?: number } | "missing";

type Row = Record<string, unknown>;

/** The API of the service, which the hand-written peers have too. */
export const plain: Dialect = {
  translate: (request) => request,
  read: (text) => {
    const body = JSON.parse(text) as { data?: unknown; meta?: { total?: number } };
    return toContent(body.data ?? body, body.meta?.total);
  },
};

/** ZenStack's RPC: the arguments of its client as JSON; a list with its total is a transaction of two operations. */
export const zenstackRpc: Dialect = {
  translate: translateOnce((request) => {
    const { model, id, query } = parse(request.path);
    if (model === undefined) return request;
    // A missing row is a response of 200 with `null`.
    const { status: _status, ...rest } = request;
    if (request.method === "POST") {
      const status = request.status === undefined ? {} : { status: 422 };
      return { ...rest, ...status, path: `/api/${model}/create`, body: `{"data":${request.body}}` };
    }
    if (request.method === "PATCH")
      return { ...rest, path: `/api/${model}/update`, body: `{"where":{"id":${id}},"data":${request.body}}` };
    if (id !== undefined) return { ...rest, path: `/api/${model}/findUnique?${q({ where: { id } })}` };
    const { where, sort, skip, limit, hasCategory } = readList(query);
    const args = { where, orderBy: sort, take: limit, skip, ...(hasCategory && { include: { category: true } }) };
    if (!hasTotal(request)) return { ...rest, path: `/api/${model}/findMany?${q(args)}` };
    const operations = [
      { model, op: "findMany", args },
      { model, op: "count", args: { where } },
    ];
    return { ...rest, method: "POST", path: "/api/$transaction/sequential", body: JSON.stringify(operations) };
  }),
  read: (text, request) => {
    if (parse(request.path).model === undefined) return plain.read(text, request);
    const body = JSON.parse(text) as { data: unknown };
    if (body.data === null) return "missing";
    if (!hasTotal(request)) return toContent(withDigits(body.data));
    const [rows, total] = body.data as [Row[], number];
    return toContent(withDigits(rows), total);
  },
};

/** ZenStack's REST, which is JSON:API; its lists always have a total. */
export const zenstackRest: Dialect = {
  translate: translateOnce((request) => {
    const { model, id, query } = parse(request.path);
    if (model === undefined) return request;
    const body = request.body;
    if (request.method === "POST") {
      const status = request.status === undefined ? {} : { status: 422 };
      return {
        ...request,
        ...status,
        path: `/api/${model}`,
        body: `{"data":{"type":"${model}","attributes":${body}}}`,
      };
    }
    if (request.method === "PATCH") {
      const data = `{"type":"${model}","id":${id},"attributes":${body}}`;
      return { ...request, path: `/api/${model}/${id}`, body: `{"data":${data}}` };
    }
    if (id !== undefined) return { ...request, path: `/api/${model}/${id}` };
    const { where, sort, skip, limit, hasCategory } = readList(query);
    const parts = [
      ...(where.status === undefined ? [] : [`filter[status]=${where.status}`]),
      ...Object.entries(where.price ?? {}).map(([operator, value]) => `filter[price$${operator}]=${value}`),
      `sort=${sort.map((by) => Object.entries(by).map(([name, order]) => `${order === "desc" ? "-" : ""}${name}`)).join(",")}`,
      `page[offset]=${skip}&page[limit]=${limit}`,
      ...(hasCategory ? ["include=category"] : []),
    ];
    return { ...request, path: `/api/${model}?${parts.join("&")}` };
  }),
  read: (text, request) => {
    if (parse(request.path).model === undefined) return plain.read(text, request);
    const body = JSON.parse(text) as JsonApi;
    const included = new Map((body.included ?? []).map((one) => [`${one.type} ${one.id}`, toRow(one)]));
    const read = (resource: Resource): Row => {
      const category = resource.relationships?.category?.data;
      const row = included.get(`${category?.type} ${category?.id}`);
      return row === undefined ? toRow(resource) : { ...toRow(resource), category: row };
    };
    const data = "type" in body.data ? read(body.data) : body.data.map(read);
    return toContent(withDigits(data), hasTotal(request) ? body.meta?.total : undefined);
  },
};

interface Resource {
  readonly type: string;
  readonly id: number | string;
  readonly attributes: Row;
  readonly relationships?: { readonly category?: { readonly data?: { readonly type: string; readonly id: unknown } } };
}

interface JsonApi {
  readonly data: Resource | readonly Resource[];
  readonly included?: readonly Resource[];
  readonly meta?: { readonly total?: number };
}

const toRow = ({ id, attributes }: Resource): Row => ({ id: Number(id), ...attributes });

const toContent = (data: unknown, total?: number): Content => ({ data, ...(total === undefined ? {} : { total }) });

/** Requests repeat: the client translates each of them once, so that its own work stays small. */
function translateOnce(translate: (request: LoadRequest) => LoadRequest): (request: LoadRequest) => LoadRequest {
  const known = new WeakMap<LoadRequest, LoadRequest>();
  return (request) => {
    const translated = known.get(request) ?? translate(request);
    known.set(request, translated);
    return translated;
  };
}

/** The model of a path of the service; none for the routes that every peer has under the same path. */
function parse(path: string): { model?: "product" | "branch"; id?: number; query: URLSearchParams } {
  const [, collection, id, query] = /^\/api\/(products|branches)(?:\/(\d+))?(?:\?(.*))?$/.exec(path) ?? [];
  const read = new URLSearchParams(query);
  if (collection === undefined) return { query: read };
  const model = collection === "products" ? "product" : "branch";
  return { model, query: read, ...(id === undefined ? {} : { id: Number(id) }) };
}

function readList(query: URLSearchParams) {
  const status = query.get("status") ?? undefined;
  const [gte, lt] = [query.get("price[gte]") ?? undefined, query.get("price[lt]") ?? undefined];
  const limit = Number(query.get("limit") ?? 20);
  return {
    where: { ...(status && { status }), ...(gte && lt && { price: { gte, lt } }) } as {
      status?: string;
      price?: Record<string, string>;
    },
    sort: [...(query.get("sort") === "-price" ? [{ price: "desc" }] : []), { id: "asc" }],
    skip: (Number(query.get("page") ?? 1) - 1) * limit,
    limit,
    hasCategory: query.get("include") === "category",
  };
}

const hasTotal = ({ method, path }: LoadRequest): boolean =>
  method === "GET" && path.startsWith("/api/products?") && !path.includes("count=false");

const q = (args: object): string => `q=${encodeURIComponent(JSON.stringify(args))}`;

/** ZenStack leaves out the trailing zeros of a decimal: `49.9` for `49.90`. */
function withDigits(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withDigits);
  if (typeof data !== "object" || data === null || !("price" in data)) return data;
  return { ...data, price: Number(data.price).toFixed(2) };
}
