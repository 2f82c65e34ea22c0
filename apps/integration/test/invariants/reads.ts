import type { Model } from "@servicekit/prisma";
import type { Values } from "./cases.js";
import { drawFilter, drawListQuery } from "./filters.js";
import { type DrawnCall, drawModel, type Material, pathOf, query, rowPath } from "./material.js";
import { keyText, relationFields, storedFields } from "./rows.js";

/** A path on which callers read rows. To add one, add its record to {@link reads}. */
export interface ReadPath {
  readonly key: string;
  readonly weight: number;
  /** @returns `undefined` if the model does not have the path */
  draw(material: Material, model: Model): DrawnCall | undefined;
}

/** A key as tools and bulk requests take it. */
export const keyValue = (model: Model, key: Values): unknown =>
  Object.keys(key).length === 1 ? Object.values(key)[0] : keyText(model, key);

/** The message that calls a tool of the MCP server. */
export const callTool = (name: string, parameters: object): DrawnCall => ({
  method: "POST",
  target: "/mcp",
  headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
  body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: parameters } },
});

const get = (target: string, headers?: Readonly<Record<string, string>>): DrawnCall => ({
  method: "GET",
  target,
  ...(headers === undefined ? {} : { headers }),
});

export const reads: readonly ReadPath[] = [
  { key: "list", weight: 6, draw: (material, model) => get(pathOf(model) + query(drawListQuery(material, model))) },
  {
    key: "read",
    weight: 3,
    draw: (material, model) => {
      const parameters = drawListQuery(material, model).filter(([name]) =>
        ["include", "fields", "deleted"].includes(name),
      );
      return get(rowPath(model, material.key(model)) + query(parameters));
    },
  },
  {
    key: "aggregate",
    weight: 3,
    draw: (material, model) => {
      const { draw } = material;
      if (!material.has("aggregate", model)) return undefined;
      const fields = storedFields(model).filter(({ isList, isUpdatedAt }) => !isList && !isUpdatedAt);
      const names = fields.filter(({ name }) => name !== "deletedAt").map(({ name }) => name);
      const measure = draw.pick(["countDistinct", "min", "max", "sum", "avg"]);
      return get(
        `${pathOf(model)}/aggregate${query([
          ["count", "true"],
          ["groupBy", draw.pick(names)],
          [measure, draw.pick(names)],
          ...(draw.chance(0.5) ? [drawFilter(material, model)] : []),
        ])}`,
      );
    },
  },
  {
    key: "export",
    weight: 3,
    draw: (material, model) => {
      if (!material.has("export", model)) return undefined;
      const accept = material.draw.pick(["text/csv", "application/x-ndjson"]);
      const parameters = drawListQuery(material, model).filter(([name]) => !["page", "cursor", "count"].includes(name));
      return get(pathOf(model) + query(parameters), { accept });
    },
  },
  {
    key: "history",
    weight: 3,
    draw: (material, model) =>
      material.has("changes", model) ? get(`${rowPath(model, material.key(model))}/history`) : undefined,
  },
  {
    key: "options of Prisma",
    weight: 1,
    draw: ({ draw, models }, model) => {
      const field = draw.pick(storedFields(model)).name;
      const [relation] = draw.pick([relationFields(model, models)]).filter(() => draw.chance(0.5));
      const related = relation && draw.pick(storedFields(models.get(relation.type) as Model)).name;
      const options = draw.pick<Values>([
        { where: { [field]: { not: null } } },
        { orderBy: { [field]: "desc" } },
        { select: { [field]: true } },
        { distinct: [field] },
        ...(relation === undefined || related === undefined
          ? []
          : [
              { include: { [relation.name]: { select: { [related]: true } } } },
              { orderBy: { [relation.name]: relation.isList ? { _count: "asc" } : { [related]: "asc" } } },
              { select: { _count: true } },
              ...(relation.isList
                ? [
                    { select: { _count: { select: { [relation.name]: true } } } },
                    { include: { [relation.name]: { where: { [related]: { not: null } }, take: 1 } } },
                  ]
                : []),
            ]),
      ]);
      return get(`${pathOf(model)}${query([["prismaQueryOptions", JSON.stringify(options)]])}`);
    },
  },
  {
    key: "mcp find",
    weight: 1,
    draw: (material, model) =>
      callTool("find", { resource: pathOf(model).slice(1), limit: material.draw.pick([1, 20]) }),
  },
  {
    key: "mcp read",
    weight: 1,
    draw: (material, model) =>
      callTool("read", { resource: pathOf(model).slice(1), key: keyValue(model, material.key(model)) }),
  },
  {
    key: "mcp describe",
    weight: 0.3,
    draw: (_, model) => callTool("describe_resource", { resource: pathOf(model).slice(1) }),
  },
];

/** Draws a read on any path. */
export function drawRead(material: Material): DrawnCall & { readonly path: string } {
  const weighted = reads.flatMap((read) => Array.from({ length: Math.ceil(read.weight * 3) }, () => read));
  for (;;) {
    const read = material.draw.pick(weighted);
    const call = read.draw(material, drawModel(material));
    if (call !== undefined) return { ...call, path: read.key };
  }
}
