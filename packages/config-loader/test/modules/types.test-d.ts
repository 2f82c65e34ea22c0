import { expectTypeOf, it } from "vitest";
import { type LoadedModules, type LoadModulesOptions, loadModules } from "../../src/modules/load-modules.js";
import { type ModuleParts } from "../../src/modules/module-parts.js";
import { type IsSchema } from "../../src/modules/read-component.js";

interface Rule {
  readonly allows: string;
}
const isRule = (value: unknown): value is Rule => typeof value === "object";

it("infers the schemas of modules from their type guard", async () => {
  expectTypeOf(isRule).toExtend<IsSchema<Rule>>();
  const options: LoadModulesOptions<Rule> = { directory: ".", kinds: [], isSchema: isRule };
  const load = () => loadModules(options);
  expectTypeOf(load).returns.resolves.toEqualTypeOf<LoadedModules<Rule>>();
  expectTypeOf<LoadedModules<Rule>>().toEqualTypeOf<ReadonlyMap<string, ModuleParts<Rule>>>();
  expectTypeOf<ModuleParts<Rule>["schemas"]>().toEqualTypeOf<Readonly<Record<string, Rule>> | undefined>();
  const isText = (value: unknown): value is string => typeof value === "string";
  // @ts-expect-error a test of something else
  isText satisfies IsSchema<Rule>;
});
