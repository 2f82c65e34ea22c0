import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { addHelp } from "../help.js";
import { breakingChanges } from "./compare-documents.js";
import type { WithService } from "./inspected-service.js";
import { show } from "./show.js";

/** `service openapi --out <file>`: writes the OpenAPI document. */
export function addOpenapi(program: Command, withService: WithService): void {
  const openapi = addHelp(program.command("openapi"), {
    examples: ["service openapi --out openapi.json", "node dist/main.js openapi --out openapi.yaml"],
  })
    .description("write the OpenAPI 3.1 document of the service, without listening and without a database")
    .option("--out <file>", "file to write, with the extension .json, .yaml or .yml (required)")
    .option("-p, --port <port>", "port in the server URL of the document")
    .action(async ({ out = "" }: { out?: string }) => {
      if (out === "")
        throw commandError("service openapi", "--out is missing. Expected a file, such as --out openapi.json.");
      const stringify = formatOf(out);
      await withService(async (service) => {
        const document = await service.openapi();
        await write(path.resolve(out), await stringify(document));
        return { text: `${out} describes ${Object.keys(document.paths).length} paths.` };
      });
    });
  addHelp(openapi.command("diff <old>"), {
    notes: "<old> is a document of an earlier version, as JSON.",
    failure: "the service breaks clients of the old document; or an error",
    examples: [
      "service openapi diff openapi.json",
      "git show main:openapi.json > old.json && service openapi diff old.json",
    ],
  })
    .description("list the breaking changes since an older OpenAPI document")
    .option("--json", "print JSON")
    .action((old: string, { json = false }: { json?: boolean }) =>
      withService(async (service) => {
        const older = await readDocument(old);
        const changes = breakingChanges(older, (await service.openapi()) as unknown as Record<string, unknown>);
        const rows = changes.map(({ operation, message }) => [operation, message]);
        if (changes.length === 0 && !json) return { text: "No breaking changes." };
        return {
          ...show(json, { heads: ["operation", "breaking changes"], rows }, changes),
          exitCode: changes.length > 0 ? 1 : 0,
        };
      }),
    );
}

async function readDocument(file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  } catch (error) {
    throw commandError(
      "service openapi diff",
      `${file} is not a JSON document: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function formatOf(out: string): (document: object) => string | Promise<string> {
  const { ext } = path.parse(out);
  if (ext === ".json") return (document) => `${JSON.stringify(document, null, 2)}\n`;
  if (ext === ".yaml" || ext === ".yml")
    return async (document) => (await import("@servicekit/openapi")).toYaml(document);
  throw commandError("service openapi", `--out ${out}: expected a name that ends in .json, .yaml or .yml.`);
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: "its folder does not exist",
      EACCES: "this user may not write to it",
      EISDIR: "it is a folder",
    };
    throw commandError("service openapi", `Cannot write ${file}: ${reasons[error.code ?? ""] ?? error.message}.`);
  });
}
