import { fillPath } from "@servicekit/client/path";
import { z } from "zod";
import { cutText } from "../bound-response.js";
import { callService } from "../call-service.js";
import type { OpenRoute } from "../catalog.js";
import type { McpDocument } from "../mcp-context.js";
import { schemaOf } from "./route-schema.js";
import { describeRejection, rejection, type Tool } from "./tool.js";

const values = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]),
);
const given = z.strictObject({ params: values.optional(), query: values.optional(), body: z.unknown().optional() });

/** The tool of a declared route with `mcp: true` (contract C75). Its input comes from the route's documentation. */
export function routeTool({ method, path, route }: OpenRoute, document: McpDocument): Tool {
  const { summary, description, inputSchema } = schemaOf(method, path, document);
  const message = [summary, description].filter((text) => text !== undefined).join(" ");
  const isRead = method === "GET";
  return {
    name: toolName(method, path),
    title: summary ?? `${method} ${path}`,
    description: message === "" ? `${method} ${path}` : message,
    inputSchema,
    annotations: {
      readOnlyHint: isRead,
      ...(isRead ? {} : { destructiveHint: true, idempotentHint: method !== "POST" }),
      openWorldHint: false,
    },
    run: async (args, { context, request }) => {
      const { success, data, error } = given.safeParse(args ?? {});
      if (!success) return rejection(`Invalid arguments. ${z.prettifyError(error)}`);
      const { params = {}, query = {}, body } = data;
      const missing = [...route.path.matchAll(named)]
        .map(([, name = ""]) => name)
        .filter((name) => !Object.hasOwn(params, name));
      if (missing.length > 0) return rejection(`params is missing ${missing.join(", ")}.`);
      let filled: string;
      try {
        filled = fillPath(path, params);
      } catch (error) {
        return rejection(`params: ${(error as Error).message}`);
      }
      const outgoing = { method, path: filled + queryOf(query), ...(body === undefined ? {} : { body }) };
      const response = await callService(context, request, outgoing);
      if (response.isRejected) return describeRejection(response);
      if (response.value === undefined) return { text: "Done." };
      return { text: cutText(typeof response.value === "string" ? response.value : JSON.stringify(response.value)) };
    },
  };
}

const named = /:([A-Za-z_]\w*)/g;

/** `POST /api/orders/:id/ship` is `post_orders_ship`; clients limit names to 64 characters. */
export function toolName(method: string, path: string): string {
  const words =
    path
      .replace(/^\/api\//, "")
      .replace(named, "")
      .match(/[A-Za-z0-9]+/g) ?? [];
  return [method.toLowerCase(), ...words].join("_").slice(0, 64);
}

function queryOf(query: z.output<typeof values>): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
