import { readFile } from "node:fs/promises";
import path from "node:path";
import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import express from "express";
import { expect, it } from "vitest";
import { z } from "zod";
import { makeDocument } from "../src/index.js";

it("the first block of the README runs as written and prints the documented output", async () => {
  const readme = await readFile(path.join(import.meta.dirname, "..", "README.md"), "utf8");
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readme)?.[1] ?? "";
  const printed: string[] = [];
  const log = (...words: unknown[]) => printed.push(words.join(" "));
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const given = { makeDocument, makeRouteTable, ServiceRouter, express, z, console: { log } };
  await AsyncFunction(...Object.keys(given), block("ts").replace(/^import .*\n/gm, ""))(...Object.values(given));
  expect(printed.join("\n")).toBe(block("text").trim());
});
