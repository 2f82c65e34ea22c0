import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandError } from "../src/command-error.js";
import type { InspectedService } from "../src/commands/inspected-service.js";
import { addMcp } from "../src/commands/mcp.js";
import { makeProgram } from "../src/program.js";

const { stdin, stdout } = process;
const { write } = stdout;
let printed = "";
beforeEach(() => {
  printed = "";
  stdout.write = ((text: string) => {
    printed += text;
    return true;
  }) as typeof stdout.write;
});
afterEach(() => {
  Object.assign(stdout, { write });
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  delete process.env.MCP_TOKEN;
  delete process.env.MCP_API_KEY;
});

/** Runs `service mcp` with one message; returns the requests that it makes. */
async function run(config: object, environment: object = {}): Promise<Request[]> {
  Object.assign(process.env, environment);
  const input = new PassThrough();
  Object.defineProperty(process, "stdin", { value: input, configurable: true });
  const requests: Request[] = [];
  const service = {
    config,
    fetch: async (request: Request) => {
      requests.push(request);
      return Response.json({ jsonrpc: "2.0", id: 1, result: {} });
    },
  } as unknown as InspectedService;
  const program = makeProgram();
  addMcp(program, async (work) => void (await work(service)));
  input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await program.parseAsync(["mcp"], { from: "user" });
  return requests;
}

describe("C75 service mcp", () => {
  it.each([
    [{}, null, null],
    [{ MCP_TOKEN: "t" }, "Bearer t", null],
    [{ MCP_API_KEY: "k" }, null, "k"],
    [{ MCP_TOKEN: " ", MCP_API_KEY: " " }, null, null],
  ])("C75 with %o sends the credentials of its environment", async (environment, token, key) => {
    const [request] = await run({ mcp: { access: "read" } }, environment);
    expect([request?.headers.get("authorization"), request?.headers.get("x-api-key")]).toEqual([token, key]);
    expect(JSON.parse(printed)).toMatchObject({ id: 1, result: {} });
  });

  it("C75 needs the block mcp", async () => {
    await expect(run({})).rejects.toThrow(CommandError);
  });
});
