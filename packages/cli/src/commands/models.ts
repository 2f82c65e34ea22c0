import type { ModelEngine } from "@servicekit/prisma";
import type { Command } from "commander";
import { addHelp } from "../help.js";
import type { WithService } from "./inspected-service.js";
import { show } from "./show.js";

/** `service models`: every model with its visible parts, and the engine that reads and writes its rows. */
export function addModels(program: Command, withService: WithService): void {
  addHelp(program.command("models"), { examples: ["service models", "service models --json"] })
    .description(
      "list every model with its path, fields, hidden and read-only fields, operations, and the engine of its queries (SQL or Prisma Client)",
    )
    .option("--json", "print JSON, with every field")
    .action(({ json = false }: { json?: boolean }) =>
      withService(async (service) => {
        const [{ isHidden, searchStorage }, { listRoutes }] = await Promise.all([
          import("@servicekit/prisma/internal"),
          import("./listed-routes.js"),
        ]);
        const routes = listRoutes(service);
        const models = [...(service.database?.models.values() ?? [])].map((model) => {
          const own = routes.filter((route) => route.model === model.name);
          const storage = searchStorage(model);
          const stored = model.fields.filter(({ kind }) => kind !== "relation");
          return {
            name: model.name,
            path: own[0]?.path.replace(/\/(many|:id)$/, "") ?? null,
            operations: own.flatMap(({ operation }) => operation ?? []),
            engine: service.database?.engines.get(model.name),
            fields: stored.map((field) => ({
              name: field.name,
              type: field.type,
              required: field.isRequired,
              list: field.isList,
              hidden: isHidden(field),
              readonly: field.annotations.readonly,
            })),
            search: storage === undefined ? null : { ...model.search, storage },
            relations: model.fields.flatMap(({ kind, name, type }) =>
              kind === "relation" ? [{ name, model: type }] : [],
            ),
          };
        });
        const rows = models.map(({ name, path, operations, engine, fields, relations }) => [
          name,
          path ?? "no route",
          String(fields.length),
          relations.map((relation) => relation.name).join(", "),
          fields.flatMap((field) => (field.hidden ? field.name : [])).join(", "),
          operations.length === 8 ? "all" : operations.join(", "),
          engineText(engine),
        ]);
        const heads = ["model", "path", "fields", "relations", "hidden", "operations", "engine"];
        return show(json, { heads, rows }, models);
      }),
    );
}

function engineText(engine: ModelEngine | undefined): string {
  if (engine === undefined) return "";
  if (engine.engine === "prisma") return `prisma: ${engine.reason}`;
  const { fieldsByPrisma } = engine;
  return fieldsByPrisma.length === 0 ? "sql" : `sql; prisma for ${fieldsByPrisma.join(", ")}`;
}
