import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import express from "express";
import { expect, it } from "vitest";
import { makeAvailableRoutes } from "../src/index.js";

it("the first block of the README runs as written and prints the documented output", async () => {
  const readme = await readFile(path.join(import.meta.dirname, "..", "README.md"), "utf8");
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readme)?.[1] ?? "";
  const printed: string[] = [];
  const log = (...words: unknown[]) => printed.push(words.join(" "));
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const taken = createServer().listen(0);
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  const code = block("ts")
    .replace(/^import .*\n/gm, "")
    .replace(/\b3000\b/g, String(port));
  const given = { makeAvailableRoutes, makeRouteTable, ServiceRouter, express, console: { log } };
  await AsyncFunction(...Object.keys(given), code)(...Object.values(given));
  expect(printed.join("\n")).toBe(block("text").trim());
});
