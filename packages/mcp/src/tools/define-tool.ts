import { maxErrors, nearestWord } from "@servicekit/core/internal";
import { z } from "zod";
import type { Act, OpenResource } from "../catalog.js";
import { type Call, type ListedTool, rejection, type Tool, type ToolAnnotations, type ToolResult } from "./tool.js";

/** The input and the action of a tool. */
interface ToolParts<Shape extends z.ZodRawShape, Rest extends readonly unknown[]> {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly annotations: ToolAnnotations;
  readonly input: Shape;
  readonly run: (given: z.output<z.ZodObject<Shape>>, ...rest: Rest) => Promise<ToolResult>;
}

/** Creates a tool whose arguments are validated by its published schema. */
export function defineTool<Shape extends z.ZodRawShape>(parts: ToolParts<Shape, [call: Call]>): Tool {
  const { name, title, about, annotations, input, run } = parts;
  const schema = z.strictObject(input);
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  return {
    ...{ name, title, description: about, annotations },
    inputSchema: inputSchema as ListedTool["inputSchema"],
    run: async (given, call) => {
      const { success, data, error } = schema.safeParse(given ?? {});
      if (success) return run(data, call);
      const listed = new z.ZodError(error.issues.slice(0, maxErrors));
      return rejection(`Invalid arguments. ${z.prettifyError(listed)}`);
    },
  };
}

/** Creates a tool for the resources on which its caller may perform the action. */
export function defineResourceTool<Shape extends z.ZodRawShape & { readonly resource: z.ZodString }>(
  act: Act | undefined,
  parts: ToolParts<Shape, [resource: OpenResource, call: Call]>,
): Tool {
  return defineTool({
    ...parts,
    run: (given, call) => {
      const { resource: name } = given as { readonly resource: string };
      const resource = call.catalog.resources.get(name);
      // What exists but is not visible to this caller is reported like what does not exist.
      if (resource === undefined) return Promise.resolve(rejection(noResource(name, call)));
      if (act === undefined || resource.acts.includes(act)) return parts.run(given, resource, call);
      return Promise.resolve(rejection(`You cannot ${act} ${name}, only ${resource.acts.join(", ")}.`));
    },
  });
}

function noResource(name: string, { catalog }: Call): string {
  const near = nearestWord(name, catalog.resources.keys());
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `Unknown resource ${JSON.stringify(name.slice(0, 100))}.${hint} Call list_resources for the names.`;
}
