import type { Draw } from "../../../../scripts/test/random-draw.js";
import { rowCount } from "./trash-rows.js";

/** A request on any path that reads or writes rows. */
export interface TrashRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Whether it requires a right to deleted rows. */
  readonly needsRight?: boolean;
}

interface ModelShape {
  readonly path: string;
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly date?: string;
  /** Relations with the path of their model; lists end with `[]`. */
  readonly relations: Readonly<Record<string, string>>;
  readonly isUpserted?: boolean;
  readonly hasAggregate?: boolean;
}

const shapes: Readonly<Record<string, ModelShape>> = {
  customers: {
    path: "customers",
    texts: ["name", "email"],
    numbers: ["id"],
    date: "deletedAt",
    relations: { orders: "orders[]" },
    isUpserted: true,
    hasAggregate: true,
  },
  orders: {
    ...{ path: "orders", texts: ["number", "status"], numbers: ["id", "total", "customerId"], date: "deletedAt" },
    relations: { customer: "customers", items: "items[]", invoice: "invoices", events: "events[]", tags: "tags[]" },
    ...{ isUpserted: true, hasAggregate: true },
  },
  items: {
    path: "items",
    texts: ["sku"],
    numbers: ["id", "quantity", "orderId", "productId"],
    date: "removedAt",
    relations: { order: "orders", product: "products" },
  },
  products: {
    path: "products",
    texts: ["name"],
    numbers: ["id"],
    date: "deletedAt",
    relations: { items: "items[]", parts: "parts[]" },
  },
  parts: {
    path: "parts",
    texts: ["name"],
    numbers: ["id", "productId"],
    date: "deletedAt",
    relations: { product: "products" },
  },
  tags: { path: "tags", texts: ["name"], numbers: [], date: "deletedAt", relations: { orders: "orders[]" } },
  folders: {
    path: "folders",
    texts: ["name"],
    numbers: ["id", "parentId", "homeId"],
    date: "deletedAt",
    relations: { parent: "folders", children: "folders[]", home: "folders", homeOf: "folders[]" },
  },
  seats: {
    path: "seats",
    texts: ["guest"],
    numbers: ["row", "place"],
    date: "deletedAt",
    relations: {},
    isUpserted: true,
  },
  invoices: { path: "invoices", texts: ["number"], numbers: ["id", "orderId"], relations: { order: "orders" } },
  events: {
    path: "events",
    texts: ["text"],
    numbers: ["id", "orderId"],
    relations: { order: "orders" },
    hasAggregate: true,
  },
};

const names = Object.keys(shapes);
const restorable = names.filter((name) => shapes[name]?.date !== undefined);

/** Draws a request on any path. */
export function drawRequest(random: Draw): TrashRequest {
  const shape = shapes[random.pick(names)] as ModelShape;
  return random.pick([drawList, drawList, drawList, drawOne, drawAggregate, drawWrite, drawWrite, drawBulk, drawRight])(
    random,
    shape,
  );
}

function drawList(random: Draw, shape: ModelShape): TrashRequest {
  const query: string[] = [];
  const maybe = (part: () => string | undefined): void => {
    const made = random.below(3) === 0 ? part() : undefined;
    if (made !== undefined) query.push(made);
  };
  for (let count = random.below(3); count > 0; count--) query.push(drawFilter(random, shape, 2));
  maybe(() => `sort=${random.pick(["", "-"])}${random.pick([...shape.texts, ...shape.numbers, ...sortPaths(shape)])}`);
  maybe(() => `search=${random.pick(words)}`);
  maybe(() => drawInclude(random, shape));
  maybe(() => random.pick(["count=false", "limit=2", "page=2&limit=2", "cursor=&limit=2"]));
  maybe(() => (random.below(4) === 0 ? `prismaQueryOptions=${drawOptions(random, shape)}` : undefined));
  return { method: "GET", path: `${shape.path}?${query.join("&")}` };
}

const words = ["1", "order", "other", "item", "t2", "example"];

const sortPaths = ({ relations }: ModelShape): readonly string[] =>
  Object.entries(relations).flatMap(([name, to]) =>
    to.endsWith("[]") ? [] : (shapes[to]?.texts ?? []).map((text) => `${name}.${text}`),
  );

function drawInclude(random: Draw, shape: ModelShape): string | undefined {
  const own = Object.keys(shape.relations);
  if (own.length === 0) return undefined;
  const name = random.pick(own);
  const related = shapes[(shape.relations[name] ?? "").replace("[]", "")];
  const deeper = Object.keys(related?.relations ?? {});
  return `include=${name}${deeper.length > 0 && random.below(2) === 0 ? `.${random.pick(deeper)}` : ""}`;
}

function drawFilter(random: Draw, shape: ModelShape, hops: number, before = ""): string {
  const relations = Object.entries(shape.relations);
  const at = (name: string): string => (before === "" ? name : `${before}[${name}]`);
  if (hops > 0 && relations.length > 0 && random.below(2) === 0) {
    const [name, to] = random.pick(relations);
    const isList = to.endsWith("[]");
    if (!isList && random.below(4) === 0) return `${at(name)}[isNull]=${random.pick(["true", "false"])}`;
    const quantifier = random.pick(isList ? ["some", "every", "none"] : ["is", "isNot"]);
    return drawFilter(random, shapes[to.replace("[]", "")] as ModelShape, hops - 1, `${at(name)}[${quantifier}]`);
  }
  const kind = random.below(4);
  if (kind === 0 && shape.date !== undefined) return `${at(shape.date)}[isNull]=${random.pick(["true", "false"])}`;
  if (kind === 1 && shape.numbers.length > 0)
    return `${at(random.pick(shape.numbers))}[${random.pick(["gte", "lt", "not", "equals"])}]=${random.pick([1, 2, 3, 30, 1002])}`;
  return `${at(random.pick(shape.texts))}[${random.pick(["contains", "icontains", "not", "gt"])}]=${random.pick(words)}`;
}

function drawOptions(random: Draw, shape: ModelShape): string {
  const [relation] = Object.keys(shape.relations);
  const options: object[] = [{ where: { [shape.texts[0] ?? ""]: { contains: "1" } } }, { distinct: [shape.texts[0]] }];
  if (relation !== undefined) options.push({ include: { [relation]: true } }, { include: { _count: true } });
  return encodeURIComponent(JSON.stringify(random.pick(options)));
}

function keyOf(random: Draw, { path }: ModelShape): string {
  const id = 1 + random.below(rowCount + 1);
  if (path === "tags") return `t${id}`;
  return path === "seats" ? `${Math.ceil(id / 3)},${((id - 1) % 3) + 1}` : String(id);
}

function drawOne(random: Draw, shape: ModelShape): TrashRequest {
  const include = random.below(2) === 0 ? drawInclude(random, shape) : undefined;
  return { method: "GET", path: `${shape.path}/${keyOf(random, shape)}${include === undefined ? "" : `?${include}`}` };
}

function drawAggregate(random: Draw, shape: ModelShape): TrashRequest {
  if (shape.hasAggregate !== true) return drawList(random, shape);
  const groups = [...shape.texts, ...sortPaths(shape)];
  const group = random.below(2) === 0 ? "" : `&groupBy=${random.pick(groups)}`;
  const filter = random.below(2) === 0 ? "" : `&${drawFilter(random, shape, 1)}`;
  const max = `&max=${random.pick(shape.texts)}&sum=${random.pick(shape.numbers)}`;
  return { method: "GET", path: `${shape.path}/aggregate?count=true${max}${group}${filter}` };
}

/** The body of a row: own fields, foreign keys and relations to any rows. */
function drawBody(random: Draw, shape: ModelShape, isNew: boolean): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  const text = (): string => random.pick(["new", "order 1", "other order 2", "item 3"]);
  for (const name of shape.texts) {
    if (isNew || random.below(2) === 0)
      body[name] = name === "email" ? `${text()}@example.com`.replaceAll(" ", ".") : text();
  }
  if (shape.path === "tags") body.name = `t${1 + random.below(20)}`;
  if (shape.path === "seats")
    Object.assign(body, isNew ? { row: 1 + random.below(3), place: 1 + random.below(4) } : {});
  for (const name of shape.numbers) {
    if (!name.endsWith("Id") || (!isNew && random.below(2) === 0)) continue;
    body[name] = 1 + random.below(rowCount);
  }
  const relations = Object.entries(shape.relations);
  if (relations.length > 0 && random.below(2) === 0) {
    const [name, to] = random.pick(relations);
    const id = to.startsWith("tags") ? { name: `t${1 + random.below(rowCount)}` } : { id: 1 + random.below(rowCount) };
    const act = random.pick([
      id,
      id,
      { ...id, $disconnect: true },
      { ...id, $delete: true },
      { ...id, ...drawText(to) },
    ]);
    body[name] = to.endsWith("[]") ? [act] : act;
    delete body[`${name}Id`];
  }
  return body;
}

const drawText = (to: string): object => ({ [shapes[to.replace("[]", "")]?.texts[0] ?? "name"]: "changed" });

function drawWrite(random: Draw, shape: ModelShape): TrashRequest {
  const key = `${shape.path}/${keyOf(random, shape)}`;
  return random.pick([
    () => ({ method: "DELETE", path: key }),
    () => ({ method: "PATCH", path: key, body: drawBody(random, shape, false) }),
    () => ({ method: "POST", path: shape.path, body: drawBody(random, shape, true) }),
    () => ({ method: shape.isUpserted === true ? "PUT" : "PATCH", path: key, body: drawBody(random, shape, false) }),
  ])();
}

function drawBulk(random: Draw, shape: ModelShape): TrashRequest {
  const ids = [...new Set([keyOf(random, shape), keyOf(random, shape)])];
  const path = `${shape.path}/many`;
  const filtered = `${path}?${drawFilter(random, shape, 2)}`;
  const [text = ""] = shape.texts;
  const unique = shape.path === "orders" ? "number" : shape.path === "customers" ? "email" : undefined;
  return random.pick([
    () => ({ method: "DELETE", path, body: { ids } }),
    () => ({ method: "DELETE", path: filtered }),
    () => ({
      method: "PATCH",
      path: filtered,
      body: { [shape.path === "tags" ? "orders" : text]: shape.path === "tags" ? [] : "changed" },
    }),
    () => ({ method: "PATCH", path, body: ids.map((id) => ({ id, ...drawBody(random, shape, false) })) }),
    () => ({ method: "POST", path, body: [drawBody(random, shape, true), drawBody(random, shape, true)] }),
    () =>
      unique === undefined
        ? { method: "DELETE", path, body: { ids } }
        : {
            method: "POST",
            path: `${path}?onConflict=${unique}${random.pick(["", "&resolution=ignore"])}`,
            body: [withoutRelations(drawBody(random, shape, true), shape)],
          },
  ])();
}

const withoutRelations = (body: Readonly<Record<string, unknown>>, { relations }: ModelShape): object => ({
  ...(("customer" in relations && { customerId: 1 }) || {}),
  ...Object.fromEntries(Object.entries(body).filter(([name]) => !(name in relations))),
});

/** A request for deleted rows, which the caller has no right to. */
function drawRight(random: Draw): TrashRequest {
  const shape = shapes[random.pick(restorable)] as ModelShape;
  const key = `${shape.path}/${keyOf(random, shape)}`;
  const deleted = `deleted=${random.pick(["only", "include"])}`;
  const [method, path, body] = random.pick<readonly [string, string, unknown?]>([
    ["GET", `${shape.path}?${deleted}`],
    ["GET", `${key}?${deleted}`],
    ["POST", `${key}/restore`],
    ["DELETE", `${key}?permanent=true`],
    ["DELETE", `${shape.path}/many?permanent=true`, { ids: [keyOf(random, shape)] }],
    ["DELETE", `${shape.path}/many?permanent=true&${deleted}&${drawFilter(random, shape, 0)}`],
  ]);
  return { method, path, ...(body === undefined ? {} : { body }), needsRight: true };
}
