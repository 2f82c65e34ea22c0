import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, inject, it, vi } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";

it("the first snippet of the README prints what it says", async () => {
  const fixtures = path.join(import.meta.dirname, "../../model-router/test");
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(fixtures, "fixtures/blog"));
  const readme = readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, output = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(path.join(import.meta.dirname, ".readme-"));
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...parts) => void lines.push(parts.join(" ")));
  try {
    const file = path.join(folder, "snippet.ts");
    const code = snippet
      .replace('"@servicekit/row-writer"', '"../../src/index.js"')
      .replace("./generated/prisma/client.js", `${fixtures}/generated/blog/client/client.js`)
      .replace("./generated/service/models.js", `${fixtures}/generated/blog/models.js`)
      .replace("process.env.DATABASE_URL", JSON.stringify(created.url));
    writeFileSync(file, code);
    await import(/* @vite-ignore */ file);
    expect(`${lines.join("\n")}\n`).toBe(output);
  } finally {
    log.mockRestore();
    rmSync(folder, { recursive: true });
    await created.drop();
  }
});
