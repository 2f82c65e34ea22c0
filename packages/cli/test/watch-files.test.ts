import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Change, watchFiles } from "../src/dev/watch-files.js";

it("C73 service dev watches the sources of an application, and nothing that it writes itself", async () => {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-watch-")));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const write = (file: string): void => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), String(Math.random()));
  };
  for (const file of ["src/main.ts", "prisma/schema.prisma", "service.config.ts"]) write(file);
  const project = {
    root,
    name: "x",
    schema: path.join(root, "prisma/schema.prisma"),
    migrations: path.join(root, "prisma/migrations"),
    data: "",
    file: "",
  };
  const changes: Change[] = [];
  const watcher = watchFiles(project, path.join(root, "src/main.ts"), (change) => changes.push(change));
  onTestFinished(() => watcher.close());
  const files = (): string[] => [...new Set(changes.flatMap((change) => change.files))].sort();

  // Chokidar is ready when it reports the first of many changes; more frequent ones would be reported together, at their end.
  await expect
    .poll(
      () => {
        write("src/main.ts");
        return files();
      },
      { interval: 250 },
    )
    .toContain("src/main.ts");
  const ignored = [
    "answer.json",
    "src/generated/client.ts",
    "dist/main.js",
    "uploads/a.json",
    "test/a.ts",
    "node_modules/a.js",
  ];
  for (const file of [...ignored, "prisma/migrations/1_a/migration.sql", "src/notes.txt"]) write(file);
  const own = [".env", "service.config.ts", "src/modules/post/post.model.ts", "prisma/schema.prisma"];
  for (const file of own) write(file);
  await expect.poll(files).toEqual(expect.arrayContaining(own));
  expect(files().filter((file) => file !== "src/main.ts")).toEqual([...own].sort());
  expect(changes.filter((change) => change.isSchemaChanged).length).toBeGreaterThan(0);
});
