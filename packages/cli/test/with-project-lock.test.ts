import path from "node:path";
import { expect, it } from "vitest";
import { withProjectLock } from "../src/database/with-project-lock.js";
import type { ProjectFolder } from "../src/project/project.js";
import { makeFolder } from "./temporary-folder.js";

it("C73 a command that waits for another one prints a line", async () => {
  const project = { file: path.join(makeFolder({}), ".data/dev.db") } as ProjectFolder;
  const lines: string[] = [];
  let second: Promise<void> | undefined;
  await withProjectLock(
    project,
    () =>
      new Promise<void>((resolve) => {
        const log = (line: string): void => {
          lines.push(line);
          resolve();
        };
        second = withProjectLock(project, async () => {}, log);
      }),
    (line) => lines.push(line),
  );
  await second;
  expect(lines).toEqual(["Waiting for another command that changes the migrations, such as service dev …"]);
});
