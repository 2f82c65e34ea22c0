import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { service } from "../src/index.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? "";
const folder = mkdtempSync(new URL("./.readme-", import.meta.url).pathname);
afterAll(() => rmSync(folder, { recursive: true }));

it("the first snippet of the README runs and prints the documented output", { timeout: 300_000 }, async () => {
  const { formatWithOptions } = await import("node:util");
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => {
    printed.push(formatWithOptions({ colors: false }, ...words));
  });
  const file = join(folder, "snippet.ts");
  writeFileSync(file, block("ts").replace('"@servicekit/service"', '"../../src/index.js"'));
  await import(/* @vite-ignore */ file);
  log.mockRestore();
  expect(printed.join("\n")).toBe(block("text").trim());
});

it("the README lists every member of a service", async () => {
  const runtime = { directory: folder, environment: { NODE_ENV: "test" }, argv: [] };
  const created = await service.create({ logLevel: "silent" }, runtime);
  await created.close();
  const [, members = ""] = /`service\.init\(.*?Returns `\{ (.*?) \}`/.exec(readme) ?? [];
  expect(members.split(", ").sort()).toEqual([...Object.keys(created), "url"].sort());
});
