import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, it, vi } from "vitest";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-readme-"));
// As root the server runs as another account, which must have access.
fs.chmodSync(folder, 0o755);
const before = process.cwd();

afterAll(() => {
  process.chdir(before);
  fs.rmSync(folder, { recursive: true, force: true });
});

it("runs the first snippet of the README as written", { timeout: 300_000 }, async () => {
  const readme = fs.readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const snippet = path.join(folder, "snippet.ts");
  const sources = path.join(import.meta.dirname, "../src/index.js");
  fs.writeFileSync(snippet, code.replace('"@servicekit/dev-database"', JSON.stringify(sources)));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  process.chdir(folder);
  await import(snippet);
  const printed = log.mock.calls.flat();
  log.mockRestore();
  expect(printed).toEqual([
    expect.stringMatching(/^Creating a database in /),
    expect.objectContaining({ status: "created", sql: expect.stringContaining('CREATE TABLE "Product"') }),
    { applied: [expect.stringMatching(/_first_products$/)], pending: [], failed: [], edited: [], missing: [] },
  ]);
  expect(fs.readdirSync(path.join(folder, "prisma/migrations"))).toContain("migration_lock.toml");
});
