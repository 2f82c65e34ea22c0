import type { Command } from "commander";
import { addHelp } from "../help.js";
import { findProject } from "../project/project.js";
import type { WithService } from "./inspected-service.js";

/** `service eject`: a generated route as code. */
export function addEject(program: Command, withService: WithService): void {
  addHelp(program.command("eject <route>"), {
    notes: `<route> is a model and findMany, findOne, createOne, updateOne or deleteOne, such as Tag.findMany. The command writes
src/routes/<model>-<operation>.ts (Express and Prisma) and test/<model>-<operation>.test.ts, and changes the operations of the
module and the list "use" of src/app.ts. It writes nothing if one of the new files exists. The code has the access rule of the
route; a comment at its top lists what it lacks. Routes with row rules, field rules, hooks, uploads or query options cannot be
ejected.`,
    failure: "the route cannot be ejected, for the printed reason; or an error",
    examples: [
      "service eject Comment.findMany",
      "service eject Tag.createOne && npx vitest run test/tag-create-one.test.ts",
    ],
  })
    .description("replace a generated route by your own code, and write a test that compares both")
    .action((route: string) =>
      withService(async (service) => {
        const { ejectOperation } = await import("../eject/eject-operation.js");
        const { files, left } = await ejectOperation(service, await findProject(), route);
        return { text: [...files.map((file) => `Wrote ${file}`), ...left].join("\n") };
      }),
    );
}
