import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** The result of a Dockerfile, as a folder. */
export interface BuiltStage {
  /** The root of its file system. */
  readonly root: string;
  /** The working directory, below the root. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly command: readonly string[];
}

/**
 * Executes a Dockerfile with a folder for each stage in place of an image: COPY, RUN, ENV, WORKDIR; USER and CMD are
 * recorded. FROM adds nothing: Node and npm are those of this machine.
 *
 * @param environment for RUN, in addition to that of ENV
 * @param instead replaces a RUN that this machine cannot execute
 * @throws for an unknown instruction
 */
export async function followDockerfile(
  file: string,
  {
    context,
    target,
    environment = {},
    instead = (command) => command,
  }: {
    context: string;
    target: string;
    environment?: NodeJS.ProcessEnv;
    instead?: (command: string) => string;
  },
): Promise<BuiltStage> {
  const stages = new Map<string, BuiltStage>();
  let stage: BuiltStage | undefined;
  for (const line of readInstructions(file)) {
    const [word = "", ...words] = line.split(/\s+/);
    const rest = line.slice(word.length).trim();
    if (word === "FROM") {
      const name = words[1] === "AS" ? (words[2] ?? "") : `stage ${stages.size}`;
      const root = path.join(target, name);
      fs.mkdirSync(root, { recursive: true });
      stage = { root, directory: "/", environment: {}, user: undefined, command: [] };
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${word} precedes FROM.`);
    const at = path.join(stage.root, stage.directory);
    if (word === "WORKDIR") {
      fs.mkdirSync(path.join(stage.root, rest), { recursive: true });
      stage = { ...stage, directory: rest };
    } else if (word === "ENV") {
      const [name = "", ...value] = rest.split("=");
      stage = { ...stage, environment: { ...stage.environment, [name]: value.join("=") } };
    } else if (word === "COPY") {
      const from = words[0]?.startsWith("--from=")
        ? stages.get(words.shift()?.slice("--from=".length) ?? "")
        : undefined;
      copy(words.slice(0, -1), from?.root ?? context, path.resolve(at, words.at(-1) ?? ""));
    } else if (word === "RUN") {
      const env = { ...process.env, ...environment, ...stage.environment };
      await promisify(execFile)("sh", ["-ec", instead(rest)], { cwd: at, env, maxBuffer: 2 ** 26 });
    } else if (word === "USER") stage = { ...stage, user: rest };
    else if (word === "CMD") stage = { ...stage, command: JSON.parse(rest) as string[] };
    else if (word !== "EXPOSE") throw new Error(`There is no ${word} here.`);
    for (const [name, { root }] of stages) if (root === stage.root) stages.set(name, stage);
  }
  if (stage === undefined) throw new Error(`${file} has no FROM.`);
  return stage;
}

/** The lines without comments; one that ends in a backslash continues. */
const readInstructions = (file: string): string[] =>
  fs
    .readFileSync(file, "utf8")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));

/**
 * Several sources, or a target that ends in a slash, are copied into a folder; so is each match of a pattern, which may
 * have none.
 */
function copy(sources: readonly string[], root: string, to: string): void {
  for (const source of sources) {
    const found = path.join(root, source);
    const pattern = path.basename(found);
    const [start = "", end] = pattern.split("*");
    const names =
      end === undefined
        ? [pattern]
        : fs.readdirSync(path.dirname(found)).filter((name) => name.startsWith(start) && name.endsWith(end));
    for (const name of names) {
      const isFolder = fs.statSync(path.join(path.dirname(found), name)).isDirectory();
      // Like Docker: of a folder, its contents are copied.
      fs.cpSync(path.join(path.dirname(found), name), isFolder ? to : path.join(to, name), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
}
