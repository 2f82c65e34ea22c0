import path from "node:path";
import type { ExpressApplication, SourceFile } from "./find-program.js";
import { findExpress, usesService } from "./find-program.js";
import type { PlannedChange, PlannedFile } from "./plan.js";
import type { PlannedSchema } from "./plan-schema.js";
import { umbrella } from "./texts.js";

/** How a project starts its service. */
export interface PlannedProgram {
  readonly file: PlannedFile | undefined;
  readonly change: PlannedChange | undefined;
  readonly notes: readonly string[];
}

/** The file of a service that another program starts. */
const part = "src/service.ts";

/**
 * A program, or the service in an Express application. Lines are added to that if there is exactly one, in an ES module in
 * TypeScript; otherwise they are in the notes.
 */
export function planProgram(sources: readonly SourceFile[], schema: PlannedSchema, model: string): PlannedProgram {
  const applications = findExpress(sources);
  const existing = sources.find(usesService);
  if (existing !== undefined) {
    const isMounted = existing.place !== part || applications.length === 0 || sources.some(importsService);
    const [host] = applications;
    return { file: undefined, change: undefined, notes: isMounted || host === undefined ? [] : [mountNote(host)] };
  }
  const [host, ...others] = applications;
  if (host === undefined) return planMain(sources, schema, model);
  const isClear = others.length === 0 && /\.m?ts$/.test(host.place);
  return {
    file: { place: part, text: programText("export const api = await service.create", schema, model) },
    change: isClear ? mount(host) : undefined,
    notes: isClear ? [afterMiddleware(host)] : [mountNote(host)],
  };
}

function planMain(sources: readonly SourceFile[], schema: PlannedSchema, model: string): PlannedProgram {
  const isFree = !sources.some(({ place }) => /^src\/main\.[mc]?[jt]sx?$/.test(place));
  const place = isFree ? "src/main.ts" : part;
  return {
    file: { place, text: programText("await service.init", schema, model) },
    change: undefined,
    notes: isFree ? [] : [`src/main exists: start the service with "npx service dev --entry ${part}".`],
  };
}

const programText = (call: string, { clientModule, modelsModule }: PlannedSchema, model: string): string =>
  `import service from "${umbrella}";
import { PrismaClient } from "${clientModule}";
import { models } from "${modelsModule}";

${call}({
  database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
  models: {
    // The routes of a model are closed until its model is opened, here or in src/modules:
    // ${model}: { auth: { read: false, write: ["ADMIN"] } },
  },
});
`;

const importsService = ({ text }: SourceFile): boolean =>
  /["']\.{1,2}\/(?:[\w./-]+\/)?service(?:\.[jt]s)?["']/.test(text);

const importLine = ({ place }: ExpressApplication): string => {
  const relative = path.posix.relative(path.posix.dirname(place), "src/service.js");
  return `import { api } from "${relative.startsWith(".") ? relative : `./${relative}`}";`;
};
const mountLine = ({ name }: ExpressApplication): string => `${name}.use(api.app);`;

function mount(host: ExpressApplication): PlannedChange {
  const { place, text, importsEnd, end } = host;
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const imports = importLine(host);
  return {
    place,
    added: [imports, mountLine(host)],
    text: `${text.slice(0, importsEnd)}${line}${imports}${text.slice(importsEnd, end)}${line}${mountLine(host)}${text.slice(end)}`,
  };
}

const afterMiddleware = ({ place, name }: ExpressApplication): string =>
  `If "identify" needs a session or a user that middleware of ${place} sets, move ${name}.use(api.app) after that middleware.`;

const mountNote = (host: ExpressApplication): string =>
  `Mount the service in ${host.place}, before body parsers:\n\n  ${importLine(host)}\n  ${mountLine(host)}`;
