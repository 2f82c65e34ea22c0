import { requiredAuthentication, roundedNumbers } from "@servicekit/router/internal";
import type { Request } from "express";
import { cutText } from "./bound-response.js";
import { callService } from "./call-service.js";
import { type Catalog, makeCatalogs } from "./catalog.js";
import { describeResource, inShort } from "./describe-resource.js";
import type { Sdk } from "./load-sdk.js";
import type { McpContext, McpDocument } from "./mcp-context.js";
import type { McpSettings } from "./settings.js";
import { resourceTools } from "./tools/resource-tools.js";
import { routeTool } from "./tools/route-tools.js";
import { type ListedTool, rejection, type Tool, type ToolResult } from "./tools/tool.js";

/** Handles one message of an agent. There are no sessions: nothing is stored between two messages. */
export type MessageHandler = (request: Request) => Promise<globalThis.Response>;

const resourcePrefix = "servicekit://resources/";

const instructions =
  "The data of this service, with the permissions of your token. Start with list_resources, then call describe_resource for each resource that you need: it describes fields, filters and bodies. Results are limited: select fields, filter and paginate instead of reading everything.";

/** Elicitation is not used, so there is nothing to check. */
const noValidator = {
  getValidator: () => () => {
    throw new TypeError("Nothing is elicited.");
  },
};

/** Creates the handler of agents' messages (contract C75). */
export function makeMessageHandler(
  { Server, Transport, types }: Sdk,
  settings: McpSettings,
  context: McpContext,
): MessageHandler {
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
      <Given, Result>(work: (given: Given) => Promise<Result>) =>
      async (given: Given) => {
        try {
          return await work(given);
        } catch (error) {
          if (error instanceof types.McpError) throw error;
          // Internal errors are for the log (contract C3); the library would send their text to the agent.
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
          throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown tool ${name.slice(0, 100)}.`);
        const rounded = roundedNumbers(request.body);
        const response: ToolResult =
          rounded.length > 0
            ? rejection(`A number has more digits than JSON preserves (${rounded[0]?.at(-1)}). Send it as a string.`)
            : await tool.run(given, { request, catalog: await catalog(), context });
        return { content: [{ type: "text" as const, text: response.text }], isError: response.isError === true };
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
          throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown resource ${uri.slice(0, 100)}.`);
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
  const { isRejected, value } = await callService(context, request, { method: "GET", path: served.path });
  if (isRejected) return undefined;
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
