import { rowSegment } from "@servicekit/client/path";
import { type AnyQuestion, writeQuestion } from "@servicekit/client/question";
import { z } from "zod";
import { askService } from "../ask-service.js";
import { boundAnswer, cutText } from "../bound-answer.js";
import type { Act } from "../catalog.js";
import { describeResource, inShort } from "../describe-resource.js";
import { defineResourceTool, defineTool } from "./define-tool.js";
import { type Call, refusal, type Tool, type ToolAnnotations, type ToolAnswer, toldRefusal } from "./tool.js";

const resource = z.string().describe("A name that list_resources tells, such as media-types.");
const one = z.union([z.string(), z.number()]);
const key = z
  .union([one, z.array(one)])
  .refine(isInPath, "No path can name such a row.")
  .describe("What names the row; a list where several fields do.");
const fields = z.array(z.string()).optional().describe('The fields to show; "-name" leaves one out.');
const include = z
  .array(z.string())
  .optional()
  .describe('Relations to bring along, such as ["author", "chapters.notes"].');
const etag = z.string().optional().describe("From read: refused where the row has changed since.");
const values = z.record(z.string(), z.unknown());
const newValues =
  'The values of the new row by their fields; a relation takes what names its row: {"title": "Tides", "author": {"id": 7}}.';
const where = values
  .optional()
  .describe(
    'Conditions, all of which hold: {"pages": {"lt": 200}, "language": ["de", "en"], "author": {"name": "Ada"}, "OR": [{"title": {"icontains": "sea"}}, {"pages": 0}]}. describe_resource tells the operators of each field.',
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

/** The tools that fit any schema, each with what somebody must be allowed to do with some resource for it. */
export const resourceTools = (): readonly (readonly [needs: Act | undefined, tool: Tool])[] => [
  [
    undefined,
    defineTool({
      name: "list_resources",
      title: "List resources",
      about: "Tells which resources there are, and what you can do with each.",
      annotations: reads,
      input: { matching: z.string().optional().describe("Only those with this in their name or description.") },
      run: async ({ matching = "" }, { catalog }) => {
        const rows = [...catalog.resources.values()].map((each) => ({
          resource: each.name,
          ...described(inShort(each)),
          can: each.acts.join(" "),
        }));
        const isWanted = (row: object): boolean =>
          Object.values(row).join(" ").toLowerCase().includes(matching.toLowerCase());
        return { text: boundAnswer({ data: matching === "" ? rows : rows.filter(isWanted) }) };
      },
    }),
  ],
  [
    undefined,
    defineResourceTool(undefined, {
      name: "describe_resource",
      title: "Describe a resource",
      about: "Tells the fields, relations and filters of a resource, and what bodies take. Ask before you use it.",
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
      about: "Lists rows of a resource, filtered and sorted, a page at a time. meta tells how many there are.",
      annotations: reads,
      input: {
        ...{ resource, where, fields, include },
        sort: z.array(z.string()).optional().describe('Such as ["-pages", "title"]: "-" for the greatest first.'),
        search: z.string().optional().describe("Words to look for in all texts."),
        page: z.int().optional(),
        limit: z.int().optional().describe("Rows of a page."),
      },
      run: ({ resource: _name, include, ...question }, { path }, call) =>
        ask(call, "GET", path, { question: { ...question, include: treeOf(include) } }),
    }),
  ],
  [
    "read",
    defineResourceTool("read", {
      name: "read",
      title: "Read a row",
      about: "Reads one row. etag, where nothing is left out, names the state that it is in.",
      annotations: reads,
      input: { resource, key, fields, include },
      run: ({ key, fields, include }, { path }, call) =>
        ask(call, "GET", rowPath(path, key), { question: { fields, include: treeOf(include) } }),
    }),
  ],
  [
    "create",
    defineResourceTool("create", {
      name: "create",
      title: "Create a row",
      about: "Makes a row. describe_resource tells what it needs.",
      annotations: makes,
      input: { resource, data: values.describe(newValues) },
      run: ({ data }, { path }, call) => ask(call, "POST", path, { body: data }),
    }),
  ],
  [
    "update",
    defineResourceTool("update", {
      name: "update",
      title: "Update a row",
      about: "Changes the given fields of a row; their old values are lost.",
      annotations: destroys,
      input: { resource, key, data: values.describe("The new values by their fields."), etag },
      run: ({ key, data, etag }, { path }, call) => ask(call, "PATCH", rowPath(path, key), { body: data, etag }),
    }),
  ],
  [
    "delete",
    defineResourceTool("delete", {
      name: "delete",
      title: "Delete a row",
      about: "Deletes a row for good.",
      annotations: destroys,
      input: { resource, key, etag },
      run: ({ key, etag }, { path }, call) => ask(call, "DELETE", rowPath(path, key), { etag }),
    }),
  ],
];

const described = (description: string | undefined): object => (description === undefined ? {} : { description });

/** The relations of an include as a tree, which is what a question takes. */
const treeOf = (paths: readonly string[] | undefined): object | undefined =>
  paths && Object.fromEntries(paths.map((path) => [path, true]));

/** Whether a path can name the row of a key: it cannot where a URL would drop or resolve the segment. */
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

/** What is asked besides the method and the path. */
interface Parts {
  readonly question?: AnyQuestion;
  readonly body?: unknown;
  readonly etag?: string | undefined;
}

/** Asks the service, and tells its answer within bounds. */
async function ask(call: Call, method: string, path: string, { question, body, etag }: Parts): Promise<ToolAnswer> {
  const query = queryOf(question);
  if (typeof query !== "string") return query;
  const headers = etag === undefined ? {} : { "if-match": etag };
  const asked = { method, path: path + query, headers, ...(body === undefined ? {} : { body }) };
  const told = await askService(call.context, call.request, asked);
  if (told.isRefused) return toldRefusal(told);
  if (told.value === undefined) return { text: "Done." };
  const state = told.headers.get("etag");
  // A weak one (RFC 9110, section 8.8.1) is no condition of a write.
  const isWhole = state !== null && !state.startsWith("W/") && !Array.isArray(Object(told.value).data);
  return { text: boundAnswer({ ...(told.value as object), ...(isWhole ? { etag: state } : {}) }) };
}

/** The query of a question, or why there is none. */
function queryOf(question: AnyQuestion | undefined): string | ToolAnswer {
  try {
    return writeQuestion(question);
  } catch (error) {
    // Names that no query carries, objects where values stand, lone surrogates.
    if (error instanceof TypeError || error instanceof URIError) return refusal(error.message);
    throw error;
  }
}
