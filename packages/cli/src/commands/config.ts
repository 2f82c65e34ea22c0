import { nearestWord } from "@servicekit/core/internal";
import { hidePassword } from "@servicekit/core/schema";
import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import type { ExplainedSetting, WithService } from "./inspected-service.js";
import { show } from "./show.js";
import { noDatabase, noSecret, secretOfEnvironment, secretOfFile } from "./with-service.js";

interface Options {
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `service config`: the documented keys with their values, sources and environment variables, without secrets. */
export function addConfig(program: Command, withService: WithService): void {
  addHelp(program.command("config [key]"), {
    notes: "[key] is a key of the configuration or a block of keys, such as timeouts.",
    examples: ["service config", "service config timeouts", "service config --all", "service config --json"],
  })
    .description("list the keys of the configuration with value, source and environment variable; secrets are ***")
    .option("--all", "also list keys without a value")
    .option("--json", "print JSON")
    .action((key: string | undefined, { all = false, json = false }: Options) =>
      withService(async ({ config }) => {
        const settings = config.explain().map(toShown);
        const found = key === undefined ? settings : settings.filter((one) => isBelow(one.key, key));
        if (key !== undefined && found.length === 0) throw unknownKey(key, settings);
        const rows = found.filter(({ value }) => all || key !== undefined || value !== "");
        return show(
          json,
          {
            heads: ["key", "value", "source", "environment variable"],
            rows: rows.map((one) => [one.key, one.value, one.source, one.variable]),
          },
          rows,
        );
      }),
    );
}

type Shown = Readonly<Record<Exclude<keyof ExplainedSetting, "isSecret">, string>>;

function toShown({ key, value, source, variable = "", isSecret }: ExplainedSetting): Shown {
  // The substitutes of missing settings are no settings.
  if (value === undefined || value === noSecret || Object.values<unknown>(noDatabase).includes(value))
    return { key, value: "", source: "", variable };
  if (value === secretOfFile) return { key, value: "***", source: `${variable} (.env)`, variable };
  if (value === secretOfEnvironment) return { key, value: "***", source: variable, variable };
  return {
    key,
    value: isSecret && typeof value !== "boolean" ? "***" : textOf(value),
    source: source ?? "default",
    variable,
  };
}

const isBelow = (key: string, prefix: string): boolean => key === prefix || key.startsWith(`${prefix}.`);

function unknownKey(key: string, settings: readonly Shown[]): Error {
  const names = settings.map((one) => one.key);
  const blocks = names.flatMap((name) => name.split(".").map((_, at, parts) => parts.slice(0, at + 1).join(".")));
  const nearest = nearestWord(key, new Set([...blocks]));
  const hint = nearest === undefined ? "Run npx service config --all to list the keys." : `Did you mean ${nearest}?`;
  return commandError("service config", `Unknown key ${key}. ${hint}`);
}

function textOf(value: unknown): string {
  if (typeof value === "function") return `function ${value.name}`.trim();
  if (typeof value === "string") return hidePassword(value);
  if (value instanceof Set) return [...value].join(", ");
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value === "object" && value !== null) return value.constructor?.name ?? "object";
  return String(value);
}
