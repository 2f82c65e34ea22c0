import path from "node:path";
import type { StoredField } from "@servicekit/prisma";
import { writeSchemasModule } from "@servicekit/prisma/generator";
import { type Ejected, namesOf, shownFields, umbrella } from "./ejected.js";

/** The features of the generated route that the code lacks, for its first comment. */
const notCarried: Readonly<Record<Ejected["operation"], string>> = {
  findMany:
    "Not included: include, fields, search, cursor, count, groups (or, and, not), and filters through relations.",
  findOne: "Not included: include, fields and ETags of rows.",
  createOne: "Not included: related rows in the body, include and fields.",
  updateOne: "Not included: related rows in the body, include, fields and If-Match.",
  deleteOne: "Not included: If-Match.",
};

/** The route as a source file: Express and Prisma, as a developer would write it. */
export function routeText(ejected: Ejected): string {
  const { model, operation, authentication } = ejected;
  const { router, route } = namesOf(ejected);
  const method = { findMany: "get", findOne: "get", createOne: "post", updateOne: "patch", deleteOne: "delete" }[
    operation
  ];
  const client = path.relative(path.dirname(route), ejected.client).replaceAll(path.sep, "/");
  const { head, validation, body, names } = parts(ejected);
  const usesZod = /\bz\./.test(head);
  const usesPrisma = operation !== "deleteOne";
  const access = authentication === undefined ? "" : `    authentication: ${literal(authentication)},\n`;
  return `/**
 * \`${method.toUpperCase()} ${ejected.path}\`: written from ${model.name}.${operation} of the service. Change it as you like. The route has the
 * same authentication. ${notCarried[operation]}
 */
import service, { ${[...names, "ServiceRouter"].sort((a, b) => a.localeCompare(b)).join(", ")} } from "${umbrella}";
${usesZod ? 'import { z } from "zod";\n' : ""}import type { ${usesPrisma ? "Prisma, " : ""}PrismaClient } from "${client}";
${schemaImport(ejected)}
const contextOf = service.context<PrismaClient>();

${head}export const ${router} = ServiceRouter();

${router}.${method}(
  {
    path: "${ejected.path}",
${access}${validation}  },
  async (request, response) => {
    const { client } = contextOf(request);
${body}  },
);
`;
}

interface Parts {
  /** The code before the route. */
  readonly head: string;
  readonly validation: string;
  readonly body: string;
  /** The imports from the umbrella package. */
  readonly names: readonly string[];
}

function parts(ejected: Ejected): Parts {
  const { model, operation, key } = ejected;
  const { delegate } = model;
  const shown = `/** The fields of responses. */\nconst shown = { ${shownFields(model)
    .map(({ name }) => `${name}: true`)
    .join(", ")} } satisfies Prisma.${model.name}Select;\n\n`;
  const where = `{ where: { ${key.name}: idOf(request.params.id)`;
  switch (operation) {
    case "findMany":
      return {
        head: `${queryText(ejected)}${shown}`,
        validation: "    validation: { query: Query },\n",
        names: [],
        body: `    const { page, limit, sort = "", ...filters } = request.query;
    const where: Prisma.${model.name}WhereInput = filters;
    const orderBy = [...sort.split(",").filter(Boolean), "${key.name}"].map((name) =>
      name.startsWith("-") ? { [name.slice(1)]: "desc" as const } : { [name]: "asc" as const },
    );
    const [data, total] = await Promise.all([
      client.${delegate}.findMany({ where, orderBy, select: shown, take: limit, skip: (page - 1) * limit }),
      client.${delegate}.count({ where }),
    ]);
    const meta = { total, count: data.length, limit, page, pages: Math.ceil(total / limit) };
    response.json({ data, meta });
`,
      };
    case "findOne":
      return {
        head: idText(key) + shown,
        validation: noQuery,
        names: ["httpErrors"],
        body: `    const data = await client.${delegate}.findUnique(${where} }, select: shown });
    if (data === null) throw httpErrors.NotFound();
    response.json({ data });
`,
      };
    case "createOne":
      return {
        head: bodyText(ejected) + shown,
        validation: "    validation: { body: Body, query: z.strictObject({}) },\n",
        names: [],
        body: `    const data = await client.${delegate}.create({ data: request.body, select: shown });
    response.status(201).location(\`${ejected.path}/\${data.${key.name}}\`).json({ data });
`,
      };
    case "updateOne":
      return {
        head: idText(key) + bodyText(ejected) + shown,
        validation: "    validation: { body: Body, query: z.strictObject({}) },\n",
        names: ["httpErrors"],
        body: `    const [data] = await client.${delegate}.updateManyAndReturn(${where} }, data: request.body, select: shown });
    if (data === undefined) throw httpErrors.NotFound();
    response.json({ data });
`,
      };
    case "deleteOne":
      return {
        head: idText(key),
        validation: noQuery,
        names: ["httpErrors"],
        body: `    const { count } = await client.${delegate}.deleteMany(${where} } });
    if (count === 0) throw httpErrors.NotFound();
    response.status(204).end();
`,
      };
  }
}

const noQuery = "    validation: { query: z.strictObject({}) },\n";

/** The query schema of a list. */
function queryText({ model }: Ejected): string {
  const filtered = shownFields(model).flatMap((field) => {
    const condition = conditionOf(field);
    return condition === undefined ? [] : [`  ${field.name}: ${condition},\n`];
  });
  const sorted = shownFields(model)
    .filter(({ isList, type }) => !isList && type !== "Json")
    .map(({ name }) => name)
    .join("|");
  const helpers = filtered.join("");
  return `${/words/.test(helpers) ? words : ""}${/conditions\(/.test(helpers) ? conditions : ""}const Query = z.strictObject({
  page: z.int().min(1).default(1),
  limit: z.int().min(1).max(100).default(20),
  sort: z.string().regex(/^-?(${sorted})(,-?(${sorted}))*$/).optional(),
${helpers}});

`;
}

const words = `/** A text, or conditions of it: \`title=a\`, \`title__icontains=a\`. */
const words = z
  .union([
    z.string(),
    z
      .strictObject({
        equals: z.string(),
        not: z.string(),
        in: z.array(z.string()),
        notIn: z.array(z.string()),
        contains: z.string(),
        startsWith: z.string(),
        endsWith: z.string(),
        mode: z.literal("insensitive"),
      })
      .partial(),
  ])
  .optional();

`;

const conditions = `/** A value, or conditions of it: \`price=5\`, \`price__gte=5\`. */
const conditions = <Value extends z.ZodType>(value: Value) =>
  z
    .union([
      value,
      z
        .strictObject({ equals: value, not: value, in: z.array(value), lt: value, lte: value, gt: value, gte: value })
        .partial(),
    ])
    .optional();

`;

function conditionOf({ kind, type, isList, nativeType, ...field }: StoredField): string | undefined {
  if (isList) return undefined;
  if (kind === "enum") return `z.enum(${JSON.stringify((field as { values?: readonly string[] }).values)}).optional()`;
  if (type === "String") return nativeType?.name === "Uuid" ? "z.uuid().optional()" : "words";
  if (type === "Int") return "conditions(z.int32())";
  if (type === "Float") return "conditions(z.number())";
  if (type === "Boolean") return "z.boolean().optional()";
  return type === "DateTime" ? "conditions(z.coerce.date())" : undefined;
}

function idText({ type, nativeType }: StoredField): string {
  if (type === "Int") {
    return `/** An \`:id\` that can be none is not found, as one that no row has. */
function idOf(text: unknown): number {
  const { data } = z.int32().safeParse(/^-?\\d{1,10}$/.test(String(text)) ? Number(text) : undefined);
  if (data === undefined) throw httpErrors.NotFound();
  return data;
}

`;
  }
  const schema = nativeType?.name === "Uuid" ? "z.uuid()" : "z.string()";
  return `/** An \`:id\` that can be none is not found, as one that no row has. */
function idOf(text: unknown): string {
  const { data } = ${schema}.safeParse(text);
  if (data === undefined) throw httpErrors.NotFound();
  return data;
}

`;
}

/** The body schema, as the generator would write it. */
function bodyText({ model, operation, bodySchema }: Ejected): string {
  const name = `${model.name}${operation === "createOne" ? "Create" : "Update"}`;
  const written = writeSchemasModule(new Map([[model.name, model]]));
  const [schema = ""] =
    new RegExp(`/\\*\\* [^\\n]*\\*/\\nexport const ${name} = [\\s\\S]*?^\\}\\);\\n`, "m").exec(written) ?? [];
  const own = schema.replace(
    `export const ${name} = `,
    bodySchema === undefined ? "const Body = " : "const Columns = ",
  );
  const piped = bodySchema === undefined ? "" : `const Body = Columns.pipe(${bodySchema});\n`;
  // The schema's helpers follow the last schema.
  const checks = /^export type [^\n]*;\n(?![\s\S]*^export type)([\s\S]*)/m.exec(written)?.[1] ?? "";
  return `${checks.trim() === "" ? "" : `${checks.trim()}\n\n`}${own}${piped}\n`;
}

function schemaImport({ model: { resource }, bodySchema }: Ejected): string {
  return bodySchema === undefined
    ? ""
    : `import { ${bodySchema} } from "../modules/${resource}/${resource}.schemas.js";\n`;
}

/** A value as source code. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, one]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${literal(one)}`,
  );
  return `{ ${members.join(", ")} }`;
}
