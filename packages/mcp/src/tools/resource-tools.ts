import { rowSegment } from "@servicekit/client/path";
import { type AnyQuery, writeQuery } from "@servicekit/client/query";
import { z } from "zod";
import { boundResponse, cutText } from "../bound-response.js";
import { callService } from "../call-service.js";
import type { Act } from "../catalog.js";
import { describeResource, inShort } from "../describe-resource.js";
import { defineResourceTool, defineTool } from "./define-tool.js";
import { type Call, describeRejection, rejection, type Tool, type ToolAnnotations, type ToolResult } from "./tool.js";

const resource = z.string().describe("A name from list_resources, such as media-types.");
const one = z.union([z.string(), z.number()]);
const key = z
  .union([one, z.array(one)])
  .refine(isInPath, "This key cannot be part of a path.")
  .describe("The key of the row; a list for a key of several fields.");
const fields = z.array(z.string()).optional().describe('The fields to return; "-name" excludes a field.');
const include = z.array(z.string()).optional().describe('Relations to include, such as ["author", "chapters.notes"].');
const etag = z.string().optional().describe("The etag from read: the update is rejected if the row has changed since.");
const deleted = z
  .enum(["only", "include"])
  .optional()
  .describe("Deleted rows, or also deleted ones, of a resource whose rows you can restore.");
const values = z.record(z.string(), z.unknown());
const newValues =
  'The values of the new row by field; a relation takes the key of its row: {"title": "Tides", "author": {"id": 7}}.';
const names = z.array(z.string()).optional();
const where = values
  .optional()
  .describe(
    'Conditions, combined with AND: {"pages": {"lt": 200}, "language": ["de", "en"], "author": {"name": "Ada"}, "OR": [{"title": {"icontains": "sea"}}, {"pages": 0}]}. describe_resource lists the operators of each field.',
  );

const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const makes: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
const destroys: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** The tools for any schema, each with the permission that it requires. */
export const resourceTools = (): readonly (readonly [needs: Act | undefined, tool: Tool])[] => [
  [
    undefined,
    defineTool({
      name: "list_resources",
      title: "List resources",
      about: "Lists the resources and what you can do with each.",
      annotations: reads,
      input: { matching: z.string().optional().describe("Only resources with this in their name or description.") },
      run: async ({ matching = "" }, { catalog }) => {
        const rows = [...catalog.resources.values()].map((each) => ({
          resource: each.name,
          ...described(inShort(each)),
          can: each.acts.join(" "),
        }));
        const isWanted = (row: object): boolean =>
          Object.values(row).join(" ").toLowerCase().includes(matching.toLowerCase());
        return { text: boundResponse({ data: matching === "" ? rows : rows.filter(isWanted) }) };
      },
    }),
  ],
  [
    undefined,
    defineResourceTool(undefined, {
      name: "describe_resource",
      title: "Describe a resource",
      about:
        "Describes the fields, relations and filters of a resource, and its bodies. Call it before you use a resource.",
      annotations: reads,
      input: { resource },
      run: async (_given, found, { catalog }) => ({ text: cutText(JSON.stringify(describeResource(found, catalog))) }),
    }),
  ],
  [
    "find",
    defineResourceTool("find", {
      name: "find",
      title: "Find rows",
      about: "Lists rows of a resource, filtered, sorted and paginated. meta contains the total.",
      annotations: reads,
      input: {
        ...{ resource, where, fields, include },
        sort: z.array(z.string()).optional().describe('Such as ["-pages", "title"]: "-" for descending order.'),
        search: z.string().optional().describe("Words to search for in all text fields."),
        page: z.int().optional(),
        limit: z.int().optional().describe("Page size."),
        deleted,
      },
      run: ({ resource: _name, include, ...query }, { path }, call) =>
        send(call, "GET", path, { query: { ...query, include: treeOf(include) } }),
    }),
  ],
  [
    "aggregate",
    defineResourceTool("aggregate", {
      name: "aggregate",
      title: "Aggregate rows",
      about:
        "Counts, sums and compares rows of a resource by group in the database. Use it instead of find to compute totals. meta.hasMore reports more groups.",
      annotations: reads,
      input: {
        ...{ resource, where },
        groupBy: names.describe(
          'Such as ["status", "createdAt:month", "author.name"]: fields, dates by day, week, month, quarter or year, and fields of to-one relations.',
        ),
        count: z.boolean().optional().describe("Return the number of rows."),
        ...{ sum: names, avg: names, min: names, max: names, countDistinct: names },
        having: values.optional().describe('Conditions on measures: {"count": {"gt": 5}, "sum.pages": {"lt": 100}}.'),
        sort: names.describe('Groups and measures, such as ["-sum.pages", "status"].'),
        timeZone: z.string().optional().describe("The IANA name of the time zone of dates."),
        page: z.int().optional(),
        limit: z.int().optional().describe("Page size."),
      },
      run: ({ resource: _name, ...query }, { path }, call) => send(call, "GET", `${path}/aggregate`, { query }),
    }),
  ],
  [
    "read",
    defineResourceTool("read", {
      name: "read",
      title: "Read a row",
      about: "Reads one row. etag, if all fields are returned, identifies its version.",
      annotations: reads,
      input: { resource, key, fields, include, deleted },
      run: ({ key, fields, include, deleted }, { path }, call) =>
        send(call, "GET", rowPath(path, key), { query: { fields, include: treeOf(include), deleted } }),
    }),
  ],
  [
    "create",
    defineResourceTool("create", {
      name: "create",
      title: "Create a row",
      about: "Creates a row. describe_resource lists the required fields.",
      annotations: makes,
      input: { resource, data: values.describe(newValues) },
      run: ({ data }, { path }, call) => send(call, "POST", path, { body: data }),
    }),
  ],
  [
    "update",
    defineResourceTool("update", {
      name: "update",
      title: "Update a row",
      about: "Changes the given fields of a row. The old values are lost.",
      annotations: destroys,
      input: { resource, key, data: values.describe("The new values by field."), etag },
      run: ({ key, data, etag }, { path }, call) => send(call, "PATCH", rowPath(path, key), { body: data, etag }),
    }),
  ],
  [
    "replace",
    defineResourceTool("replace", {
      name: "replace",
      title: "Create or replace a row",
      about:
        "Creates the row with this key, or replaces all of its values: a field that data does not contain gets its default or null. The old values are lost.",
      annotations: destroys,
      input: {
        ...{ resource, key, etag },
        data: values.describe("All values by field, with foreign keys in place of relations and without the key."),
      },
      run: ({ key, data, etag }, { path }, call) => send(call, "PUT", rowPath(path, key), { body: data, etag }),
    }),
  ],
  [
    "delete",
    defineResourceTool("delete", {
      name: "delete",
      title: "Delete a row",
      about: "Deletes a row: permanently, if you cannot restore rows of its resource.",
      annotations: destroys,
      input: { resource, key, etag },
      run: ({ key, etag }, { path }, call) => send(call, "DELETE", rowPath(path, key), { etag }),
    }),
  ],
  [
    "restore",
    defineResourceTool("restore", {
      name: "restore",
      title: "Restore a row",
      about: "Restores a deleted row, and the rows that were deleted with it.",
      annotations: { ...makes, idempotentHint: true },
      input: { resource, key, etag },
      run: ({ key, etag }, { path }, call) => send(call, "POST", `${rowPath(path, key)}/restore`, { etag }),
    }),
  ],
];

const described = (description: string | undefined): object => (description === undefined ? {} : { description });

/** The relations of an include as a tree, as a query takes them. */
const treeOf = (paths: readonly string[] | undefined): object | undefined =>
  paths && Object.fromEntries(paths.map((path) => [path, true]));

/** Whether a path can contain the key: not if a URL would drop or resolve the segment. */
function isInPath(key: unknown): boolean {
  try {
    return rowSegment(key) !== "";
  } catch {
    return false;
  }
}

/** The path of a row (contract C7). */
const rowPath = (path: string, key: z.output<typeof one> | readonly z.output<typeof one>[]): string =>
  `${path}/${rowSegment(key)}`;

/** The parts of a request besides the method and the path. */
interface Parts {
  readonly query?: AnyQuery;
  readonly body?: unknown;
  readonly etag?: string | undefined;
}

/** Calls the service and formats its response within the limits. */
async function send(call: Call, method: string, path: string, { query, body, etag }: Parts): Promise<ToolResult> {
  const written = queryOf(query);
  if (typeof written !== "string") return written;
  const headers = etag === undefined ? {} : { "if-match": etag };
  const outgoing = { method, path: path + written, headers, ...(body === undefined ? {} : { body }) };
  const response = await callService(call.context, call.request, outgoing);
  if (response.isRejected) return describeRejection(response);
  if (response.value === undefined) return { text: "Done." };
  const state = response.headers.get("etag");
  // A weak tag (RFC 9110, section 8.8.1) cannot be a condition of a write.
  const isFull = state !== null && !state.startsWith("W/") && !Array.isArray(Object(response.value).data);
  return { text: boundResponse({ ...(response.value as object), ...(isFull ? { etag: state } : {}) }) };
}

/** The query string, or the reason why there is none. */
function queryOf(query: AnyQuery | undefined): string | ToolResult {
  try {
    return writeQuery(query);
  } catch (error) {
    // Names that a query cannot contain, objects in place of values, lone surrogates.
    if (error instanceof TypeError || error instanceof URIError) return rejection(error.message);
    throw error;
  }
}
