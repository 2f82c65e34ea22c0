import type { Command } from "commander";
import { findProject } from "../project/project.js";
import type { WithService } from "./inspected-service.js";

/** `service eject`: a generated route as code of one's own. */
export function addEject(program: Command, withService: WithService): void {
  program
    .command("eject <route>")
    .description(
      "write a generated route as plain code of your own, close the generated one, and test that both answer alike",
    )
    .addHelpText(
      "after",
      `
<route> is a model and findMany, findOne, createOne, updateOne or deleteOne. It writes src/routes/<model>-<operation>.ts (Express
and Prisma), the module's operations, the list use of src/app.ts, and test/<model>-<operation>.test.ts. Files that are there are
left as they are, and then nothing is written. The code asks who may enter as the route does; its head says what it does not
carry. A route with row rules, rules of fields, hooks, uploads or query options of its own stays generated: it ends with 1
and says why.

Examples:
  service eject Comment.findMany
  service eject Tag.createOne && npx vitest run test/tag-create-one.test.ts`,
    )
    .action((route: string) =>
      withService(async (service) => {
        const { ejectOperation } = await import("../eject/eject-operation.js");
        const { files, left } = await ejectOperation(service, await findProject(), route);
        return { text: [...files.map((file) => `Wrote ${file}`), ...left].join("\n") };
      }),
    );
}
