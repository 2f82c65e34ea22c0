import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import { reserveOutput } from "../terminal/reserve-output.js";
import type { WithService } from "./inspected-service.js";

const where = "service mcp";

/** `service mcp`: the Model Context Protocol over standard input and output (contract C75). */
export function addMcp(program: Command, withService: WithService): void {
  addHelp(program.command("mcp"), {
    notes: "MCP_TOKEN (an access token) or MCP_API_KEY authenticates the requests. Without them they are anonymous.",
    examples: ["MCP_API_KEY=… service mcp"],
  })
    .description("serve the Model Context Protocol over standard input and output")
    .action(() =>
      withService(
        async ({ config, fetch }) => {
          if (config.mcp === undefined)
            throw commandError(where, 'The service has no mcp configuration. Add mcp: { access: "read" }.');
          const { serveStdio } = await import("@servicekit/mcp/internal");
          await serveStdio({ fetch, headers: callerOf(process.env), input: process.stdin, output: reserveOutput() });
          return { text: "" };
        },
        { verifiesTokens: true, usesDatabase: true },
      ),
    );
}

function callerOf({ MCP_TOKEN: token = "", MCP_API_KEY: key = "" }: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...(token.trim() === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(key.trim() === "" ? {} : { "x-api-key": key }),
  };
}
