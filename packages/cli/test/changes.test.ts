import { expect, it } from "vitest";
import { addChanges } from "../src/commands/changes.js";
import type { CommandResult, InspectedService, WithService } from "../src/commands/inspected-service.js";
import { makeProgram } from "../src/program.js";

async function forget(name: string, models: readonly string[] = ["ChangePosition"]): Promise<CommandResult> {
  const stored = new Set(["order.events", "gone.events"]);
  const service = {
    jobQueues: { names: ["order.events"] },
    database: {
      models: new Map(models.map((model) => [model, {}])),
      of: () => ({ deleteMany: async ({ where }: { where: { name: string } }) => Number(stored.delete(where.name)) }),
    },
  };
  const program = makeProgram();
  let result: CommandResult = { text: "nothing ran" };
  const withService: WithService = async (work) => {
    result = await work(service as unknown as InspectedService);
  };
  addChanges(program, withService);
  await program.parseAsync(["changes", "forget", name], { from: "user" });
  return result;
}

it("C108 service changes forget deletes the position of a subscriber that does not exist any more", async () => {
  expect(await forget("gone.events")).toEqual({ text: "The position gone.events was deleted." });
  expect(await forget("other")).toEqual({ text: "There is no position other.", exitCode: 1 });
});

it("C108 service changes forget rejects the subscribers of the service, and schemas without positions", async () => {
  await expect(forget("order.events")).rejects.toThrow("order.events is a subscriber of this service");
  await expect(forget("gone.events", [])).rejects.toThrow("The schema has no model ChangePosition.");
});
