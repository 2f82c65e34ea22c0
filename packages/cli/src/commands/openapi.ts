import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { fault } from "../command-error.js";
import { breakingChanges } from "./compare-documents.js";
import type { WithService } from "./inspected-service.js";
import { show } from "./show.js";

/** `service openapi --out <file>`: writes the document of a service. */
export function addOpenapi(program: Command, withService: WithService): void {
  const openapi = program
    .command("openapi")
    .description("write the OpenAPI 3.1 document of the service; nothing listens, and no database is needed")
    .option("--out <file>", "where to: a name that ends in .json, .yaml or .yml")
    .option("-p, --port <port>", "the port that the document names")
    .addHelpText(
      "after",
      "\nExamples:\n  service openapi --out openapi.json\n  node dist/main.js openapi --out openapi.yaml",
    )
    .action(async ({ out = "" }: { out?: string }) => {
      if (out === "") throw fault("service openapi", "--out is missing. Expected a file, such as --out openapi.json.");
      const stringify = formatOf(out);
      await withService(async (service) => {
        const document = await service.openapi();
        await write(path.resolve(out), await stringify(document));
        return { text: `${out} describes ${Object.keys(document.paths).length} paths.` };
      });
    });
  openapi
    .command("diff <old>")
    .description("tell what an older document had that this service takes away: ends with 1 where there is something")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  service openapi diff openapi.json\n  git show main:openapi.json > old.json && service openapi diff old.json",
    )
    .action((old: string, { json = false }: { json?: boolean }) =>
      withService(async (service) => {
        const older = await readDocument(old);
        const changes = breakingChanges(older, (await service.openapi()) as unknown as Record<string, unknown>);
        const rows = changes.map(({ operation, message }) => [operation, message]);
        if (changes.length === 0 && !json) return { text: "Nothing is taken away." };
        return {
          ...show(json, { heads: ["operation", "what breaks"], rows }, changes),
          exitCode: changes.length > 0 ? 1 : 0,
        };
      }),
    );
}

async function readDocument(file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  } catch (error) {
    throw fault(
      "service openapi diff",
      `${file} is no document as JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function formatOf(out: string): (document: object) => string | Promise<string> {
  const { ext } = path.parse(out);
  if (ext === ".json") return (document) => `${JSON.stringify(document, null, 2)}\n`;
  if (ext === ".yaml" || ext === ".yml")
    return async (document) => (await import("@servicekit/openapi")).toYaml(document);
  throw fault("service openapi", `--out ${out}: expected a name that ends in .json, .yaml or .yml.`);
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: "its folder does not exist",
      EACCES: "this user may not write there",
      EISDIR: "it is a folder",
    };
    throw fault("service openapi", `Cannot write ${file}: ${reasons[error.code ?? ""] ?? error.message}.`);
  });
}
