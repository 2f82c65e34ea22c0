import type { Command } from "commander";
import { addHelp } from "../help.js";
import type { WithService } from "./inspected-service.js";
import { show } from "./show.js";

/** `service routes`: every route, its access, and the place of its declaration. */
export function addRoutes(program: Command, withService: WithService): void {
  addHelp(program.command("routes"), {
    examples: ["service routes", "service routes --open", "service routes --json | jq '.[].path'"],
  })
    .description("list every route with its method, path, access rule and place of declaration")
    .option("--json", "print JSON")
    .option("--open", "list only routes without authentication")
    .action(({ json = false, open = false }: { json?: boolean; open?: boolean }) =>
      withService(async (service) => {
        const { listRoutes, wordsOf } = await import("./listed-routes.js");
        const mode = service.config.authentication?.mode;
        const isOpen = (kind: string): boolean => kind === "everyone" || kind === "undeclared";
        const routes = listRoutes(service).filter(({ entrance }) => !open || isOpen(entrance.kind));
        const rows = routes.map(({ method, path, entrance, hasRowRule, place = "" }) => {
          const who = wordsOf(entrance, mode) + (hasRowRule ? " (some rows)" : "");
          return [method, path, who, shortened(place)];
        });
        return show(json, { heads: ["method", "path", "access", "declared"], rows }, routes);
      }),
    );
}

/** A path relative to the working directory. */
function shortened(place: string): string {
  const generated = /^the generated route (\w+) of the model (\w+)$/.exec(place);
  return generated === null ? place.replace(`${process.cwd()}/`, "") : `${generated[2]}.${generated[1]}`;
}
