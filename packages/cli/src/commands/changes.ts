import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import type { WithService } from "./inspected-service.js";

/** The model with the positions of consumers. */
const positionModel = "ChangePosition";

/** `service changes`: the consumers of the change log. */
export function addChanges(program: Command, withService: WithService): void {
  const withDatabase: WithService = (work) => withService(work, { usesDatabase: true });
  const changes = program.command("changes").description("manage the consumers of recorded changes");
  addHelp(changes.command("forget <name>"), {
    notes:
      "The retention of changes deletes no change that a consumer has not read, also if the consumer does not exist any more.",
    examples: ["service changes forget order.events"],
  })
    .description("delete the position of a subscriber that does not exist any more")
    .action((name: string) =>
      withDatabase(async ({ database, jobQueues }) => {
        if (database?.models.has(positionModel) !== true)
          throw commandError("service changes", `The schema has no model ${positionModel}.`);
        // The queue of a consumer has its name.
        if (jobQueues?.names.includes(name) === true)
          throw commandError(
            "service changes",
            `${name} is a subscriber of this service: without its position it loses changes.`,
          );
        const forgotten = await database.of(positionModel).deleteMany({ where: { name } });
        return forgotten === 0
          ? { text: `There is no position ${name}.`, exitCode: 1 }
          : { text: `The position ${name} was deleted.` };
      }),
    );
}
