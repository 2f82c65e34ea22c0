import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import type { WithService } from "./inspected-service.js";

const where = "service mcp";

/** `service mcp`: the Model Context Protocol over standard input and output (contract C75). */
export function addMcp(program: Command, withService: WithService): void {
  addHelp(program.command("mcp"), {
    notes: "MCP_TOKEN (an access token) or MCP_API_KEY authenticates the requests. Without them they are anonymous.",
    examples: ["MCP_API_KEY=… service mcp"],
  })
    .description("serve the Model Context Protocol over standard input and output")
    .action(() => {
      const output = reserveForMessages();
      return withService(
        async ({ config, fetch }) => {
          if (config.mcp === undefined)
            throw commandError(where, 'The service has no mcp configuration. Add mcp: { access: "read" }.');
          const { serveStdio } = await import("@servicekit/mcp/internal");
          await serveStdio({ fetch, headers: callerOf(process.env), input: process.stdin, output });
          return { text: "" };
        },
        { verifiesTokens: true },
      );
    });
}

function callerOf({ MCP_TOKEN: token = "", MCP_API_KEY: key = "" }: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...(token.trim() === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(key.trim() === "" ? {} : { "x-api-key": key }),
  };
}

/** Standard output is reserved for messages, so other output, such as the log, goes to standard error. */
function reserveForMessages(): { write(text: string): unknown } {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  Object.defineProperty(stdout, "fd", { value: stderr.fd });
  return { write: (text) => write(text) };
}
