import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, it, onTestFinished } from "vitest";
import { createShopDatabase } from "./shop.js";

it("C75 the built shop serves an agent over standard input and output, without its log in between", async () => {
  const database = await createShopDatabase();
  onTestFinished(() => database.drop());
  const directory = path.join(import.meta.dirname, "..");
  const client = new Client({ name: "agent", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.join(directory, "dist", "main.js"), "mcp"],
    cwd: directory,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      NODE_ENV: "test",
      LOG_LEVEL: "trace",
      SERVICE_MCP_ACCESS: "read",
    } as Record<string, string>,
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (chunk) => (log += chunk));
  const failures: Error[] = [];
  client.onerror = (error) => failures.push(error);
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...["list_resources", "describe_resource", "find", "aggregate", "read", "get_reports_best_sellers"],
  ]);
  const found = await client.callTool({ name: "find", arguments: { resource: "tags", limit: 1, fields: ["name"] } });
  expect(JSON.stringify(found.content)).toContain('\\"name\\":');
  expect(failures).toEqual([]);
  await expect.poll(() => log).toContain("/api/tags");
});
