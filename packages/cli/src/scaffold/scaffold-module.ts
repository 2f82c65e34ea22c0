import fs from "node:fs";
import path from "node:path";
import { importModule } from "@servicekit/config-loader/internal";
import { type Model, type ModelsData, readModels } from "@servicekit/prisma";
import { writeDtosModule, writeSchemasModule } from "@servicekit/prisma/generator";
import { fault } from "../command-error.js";
import { generateClient, outputsOf } from "../generate/generate-client.js";
import type { Project } from "../project/project.js";

/** What the files that are begun import; this package stands below it. */
const umbrella = "@servicekit/service";

/** The files of a module that can be begun. */
export const scaffolds = ["module", "router", "hooks", "schemas", "dtos"] as const;
export type Scaffold = (typeof scaffolds)[number];

/**
 * Begins files of a model's module, from what the schema says of it. A file that is there is left as it is.
 *
 * @returns the files that were written, whole paths
 * @throws {CommandError} for a model that is not there, and where nothing is left to begin
 */
export async function scaffoldModule(project: Project, scaffold: Scaffold, name: string): Promise<readonly string[]> {
  const model = await findModel(project, name);
  const folder = path.join(project.root, "src", "modules", model.resource);
  const files = Object.entries(textsOf(scaffold, model)).map(([component, text]) => ({
    file: path.join(folder, `${model.resource}.${component}.ts`),
    text,
  }));
  const missing = files.filter(({ file }) => !fs.existsSync(file));
  if (missing.length === 0)
    throw fault(
      "service generate",
      `${files.map(({ file }) => path.relative(project.root, file)).join(", ")} is there already.`,
    );
  fs.mkdirSync(folder, { recursive: true });
  for (const { file, text } of missing) fs.writeFileSync(file, text, { flag: "wx" });
  return missing.map(({ file }) => file);
}

/** A model of the schema, by its name or that of its resource. */
export async function findModel(project: Project, name: string): Promise<Model> {
  await generateClient(project);
  // The client of Prisma has a file of that name, too.
  const files = outputsOf(project.schema ?? "").map((output) => path.join(output, "models.ts"));
  const isOurs = (file: string): boolean =>
    fs.existsSync(file) && fs.readFileSync(file, "utf8").startsWith("// Written by servicekit-prisma");
  const file = files.find(isOurs);
  if (file === undefined) throw fault("service generate", "No generator servicekit-prisma stands in the schema.");
  const { models: data } = (await importModule(file)) as { models: ModelsData };
  const models = readModels(data);
  const model = [...models.values()].find((one) => one.name === name || one.resource === name);
  if (model === undefined)
    throw fault("service generate", `There is no model ${name}; there is ${[...models.keys()].join(", ")}.`);
  return model;
}

function textsOf(scaffold: Scaffold, model: Model): Readonly<Record<string, string>> {
  switch (scaffold) {
    case "module":
      return { model: modelText(model), middlewares: hooksText(model) };
    case "hooks":
      return { middlewares: hooksText(model) };
    case "router":
      return { router: routerText(model) };
    case "schemas":
      return { schemas: schemasText(model) };
    case "dtos":
      return { dtos: dtosText(model) };
  }
}

const modelText = ({ name, resource }: Model): string => `import type { ModelConfig } from "${umbrella}";

/** What is special about ${name}. With authentication, all that is not opened here is for superusers. */
export default {
  // auth: {
  //   read: false, // everyone
  //   write: ["STAFF"],
  //   where: (request) => ({ ownerId: Number(userIdOf(request) ?? 0) }), // rows that belong to the caller
  // },
  // operations: { deleteMany: false }, // left out: DELETE /api/${resource}…/many
  // hidden: [], readonly: [], searchable: [],
} satisfies ModelConfig;
`;

const hooksText = ({ name, delegate }: Model): string => `import type { Hook } from "${umbrella}";
import type { ${name} } from "../../generated/prisma/client.js";

/** Runs between validation and the database: it may set what clients may not. */
export const beforeCreateOne: Hook<"beforeCreateOne", ${name}> = (request, _response, next) => {
  void request.body;
  next();
};

/** Runs before the answer, which is what it leaves in \`response.locals.data\`. */
export const afterCreateOne: Hook<"afterCreateOne", ${name}> = (_request, response, next) => {
  const ${delegate} = response.locals.data;
  void ${delegate};
  next();
};
`;

const routerText = ({ name, resource }: Model): string => `import { ServiceRouter } from "${umbrella}";
import { z } from "zod";

/** Further routes of ${name}, below its own path. */
const router = ServiceRouter();

router.post(
  { path: "/:id/act", validation: { params: z.strictObject({ id: z.string() }), body: z.strictObject({}) } },
  (request, response) => {
    response.json({ data: { ${/^\w+$/.test(resource) ? resource : `"${resource}"`}: request.params.id } });
  },
);

export default router;
`;

const alone = (model: Model): ReadonlyMap<string, Model> => new Map([[model.name, model]]);

/** What the generator would write of it, under the names that a module's schemas have. */
function schemasText(model: Model): string {
  return withoutHead(writeSchemasModule(alone(model)))
    .replaceAll(new RegExp(`\\nexport type ${model.name}(Create|Update) = .*;\\n`, "g"), "\n")
    .replaceAll(`export const ${model.name}Create =`, "export const create =")
    .replaceAll(`export const ${model.name}Update =`, "export const update =");
}

function dtosText(model: Model): string {
  const text = withoutHead(writeDtosModule(alone(model)));
  const names = ["Create", "Update"]
    .map((mode) => `${mode}${model.name}Dto`)
    .filter((name) => text.includes(`class ${name} `));
  const exported = names.map((name) => `${name} as ${name.startsWith("Create") ? "create" : "update"}`);
  return `${text.trimEnd()}\n\n// The names by which a module's schemas are found.\nexport { ${exported.join(", ")} };\n`;
}

const withoutHead = (text: string): string =>
  text.replace(/^\/\/ Written by servicekit-prisma.*\n/, "// Begun from the Prisma schema; yours to change.\n");
