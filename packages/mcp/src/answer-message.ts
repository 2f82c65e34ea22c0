import { requiredAuthentication, roundedNumbers } from "@servicekit/router/internal";
import type { Request } from "express";
import { askService } from "./ask-service.js";
import { cutText } from "./bound-answer.js";
import { type Catalog, makeCatalogs } from "./catalog.js";
import { describeResource, inShort } from "./describe-resource.js";
import type { Sdk } from "./load-sdk.js";
import type { McpContext, McpDocument } from "./mcp-context.js";
import type { McpSettings } from "./settings.js";
import { resourceTools } from "./tools/resource-tools.js";
import { routeTool } from "./tools/route-tools.js";
import { type ListedTool, refusal, type Tool, type ToolAnswer } from "./tools/tool.js";

/** Answers one message of a model. Nothing is kept between two messages: there is no session to take over. */
export type AnswerMessage = (request: Request) => Promise<globalThis.Response>;

const resourcePrefix = "servicekit://resources/";

const instructions =
  "Data of this service, by the rights of your token. Begin with list_resources, then describe_resource for each that you need: it tells fields, filters and what bodies take. Answers are bounded: name fields, filter and page rather than reading everything.";

/** Nothing is asked of a model by its form, so there is nothing to check. */
const noValidator = {
  getValidator: () => () => {
    throw new TypeError("Nothing is elicited.");
  },
};

/** Makes what answers the messages of models (contract C75). */
export function makeAnswerMessage(
  { Server, Transport, types }: Sdk,
  settings: McpSettings,
  context: McpContext,
): AnswerMessage {
  const catalogOf = makeCatalogs(context, settings);
  const generic = resourceTools();
  let document: Promise<McpDocument> | undefined;
  const routeTools = async ({ routes }: Catalog): Promise<readonly Tool[]> => {
    if (routes.length === 0) return [];
    document ??= context.document();
    const made = await document;
    return routes.map((route) => routeTool(route, made));
  };
  const toolsOf = async (catalog: Catalog): Promise<readonly Tool[]> => {
    const can = new Set([...catalog.resources.values()].flatMap(({ acts }) => acts));
    const fitting = generic.flatMap(([needs, tool]) => (needs === undefined || can.has(needs) ? [tool] : []));
    return [...fitting, ...(await routeTools(catalog))];
  };
  return async (request) => {
    let known: Promise<Catalog> | undefined;
    const catalog = (): Promise<Catalog> => (known ??= catalogOf(request));
    const server = new Server(context.info, {
      capabilities: { tools: {}, resources: {} },
      instructions,
      jsonSchemaValidator: noValidator,
    });
    const guarded =
      <Given, Answer>(work: (given: Given) => Promise<Answer>) =>
      async (given: Given) => {
        try {
          return await work(given);
        } catch (error) {
          if (error instanceof types.McpError) throw error;
          // What went wrong here is for the log (contract C3): the library would tell it word for word.
          context.log?.(error, request);
          throw new types.McpError(types.ErrorCode.InternalError, "Something went wrong on the server.");
        }
      };
    server.setRequestHandler(
      types.ListToolsRequestSchema,
      guarded(async () => ({ tools: (await toolsOf(await catalog())).map(listedTool) })),
    );
    server.setRequestHandler(
      types.CallToolRequestSchema,
      guarded(async ({ params: { name, arguments: given } }) => {
        const tool = (await toolsOf(await catalog())).find((each) => each.name === name);
        if (tool === undefined)
          throw new types.McpError(types.ErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}.`);
        const rounded = roundedNumbers(request.body);
        const answer: ToolAnswer =
          rounded.length > 0
            ? refusal(`A number has more digits than JSON keeps (${rounded[0]?.at(-1)}): send it as text.`)
            : await tool.run(given, { request, catalog: await catalog(), context });
        return { content: [{ type: "text" as const, text: answer.text }], isError: answer.isError === true };
      }),
    );
    server.setRequestHandler(
      types.ListResourcesRequestSchema,
      guarded(async () => ({
        resources: [
          ...(await servedDescriptions(context, request)),
          ...[...(await catalog()).resources.values()].map((each) => ({
            uri: resourcePrefix + each.name,
            name: each.name,
            mimeType: "application/json",
            ...(inShort(each) === undefined ? {} : { description: inShort(each) }),
          })),
        ],
      })),
    );
    server.setRequestHandler(
      types.ReadResourceRequestSchema,
      guarded(async ({ params: { uri } }) => {
        const found = await readResource(uri, await catalog(), context, request);
        if (found === undefined)
          throw new types.McpError(types.ErrorCode.InvalidParams, `There is no resource ${uri.slice(0, 100)}.`);
        return { contents: [{ uri, ...found }] };
      }),
    );
    const transport = new Transport({ enableJsonResponse: true });
    // The library's own optional properties are not exact.
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    const { headers, body } = request;
    const sent: Record<string, string> = {};
    for (const name of ["accept", "content-type", "mcp-protocol-version"]) {
      const value = headers[name];
      if (typeof value === "string") sent[name] = value;
    }
    const message = new Request("http://localhost/api/mcp", { method: "POST", headers: sent });
    return transport.handleRequest(message, { parsedBody: body });
  };
}

const listedTool = ({ run: _, ...listed }: Tool): ListedTool => listed;

interface ReadResource {
  readonly mimeType: string;
  readonly text: string;
}

async function readResource(
  uri: string,
  catalog: Catalog,
  context: McpContext,
  request: Request,
): Promise<ReadResource | undefined> {
  if (uri.startsWith(resourcePrefix)) {
    const resource = catalog.resources.get(uri.slice(resourcePrefix.length));
    const text = resource && cutText(JSON.stringify(describeResource(resource, catalog)));
    return text === undefined ? undefined : { mimeType: "application/json", text };
  }
  const served = context.descriptions.find(({ path }) => uri === servedUri(path));
  if (served === undefined) return undefined;
  const { isRefused, value } = await askService(context, request, { method: "GET", path: served.path });
  if (isRefused) return undefined;
  return { mimeType: served.mimeType, text: typeof value === "string" ? value : JSON.stringify(value) };
}

const servedUri = (path: string): string => `servicekit://${path.slice(1)}`;

/** The descriptions that the caller may read, by the rules of their own routes. */
async function servedDescriptions({ descriptions, table, allows }: McpContext, request: Request) {
  const open = await Promise.all(
    descriptions.map(async ({ path }) => {
      const route = table.find("GET", path)?.route;
      if (route === undefined || allows === undefined) return route !== undefined;
      return allows(request, requiredAuthentication(route.config.authentication));
    }),
  );
  return descriptions.flatMap(({ path, title, mimeType }, index) =>
    open[index] === true
      ? [{ uri: servedUri(path), name: path.slice(path.lastIndexOf("/") + 1), title, mimeType }]
      : [],
  );
}
