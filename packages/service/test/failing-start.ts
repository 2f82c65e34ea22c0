import path from "node:path";
import { makeProjects } from "./project-folder.js";
import { makeStarter } from "./start.js";

/** Failing startups, each in a separate project; `closeAll` deletes their files. */
export function makeFailingStarter() {
  const { create, init, closeAll } = makeStarter();
  const { project, removeAll } = makeProjects();
  return {
    create,
    init,
    project,
    /** The complete output of a failing startup. */
    textOf: async (
      config: unknown,
      files: Readonly<Record<string, string>> = {},
      environment: Readonly<Record<string, string>> = {},
      argv: readonly string[] = [],
    ): Promise<string> => {
      const directory = project(files);
      const error = await create(config as object, { directory, environment, argv }).then(
        () => new Error("It started."),
        (reason: Error) => reason,
      );
      const place = path.relative(process.cwd(), directory);
      return error.message.replaceAll(place, "<project>").replaceAll(directory, "<project>");
    },
    closeAll: async (): Promise<void> => {
      await closeAll();
      removeAll();
    },
  };
}
