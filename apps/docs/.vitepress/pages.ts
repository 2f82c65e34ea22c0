import fs from "node:fs";
import path from "node:path";

/** The root of the repository, whose Markdown files are the pages. */
export const root = path.join(import.meta.dirname, "..", "..", "..");

const repository = "https://github.com/servicekit/servicekit";

const names = (folder: string): readonly string[] => fs.readdirSync(path.join(root, folder));
const pagesOf = (folder: string): readonly string[] =>
  fs
    .readdirSync(path.join(root, folder), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.replaceAll(path.sep, "/"));

/** The packages that have a README, by name. */
export const packages: readonly string[] = names("packages").filter((name) =>
  fs.existsSync(path.join(root, "packages", name, "README.md")),
);

/** The applications whose READMEs are for contributors and not pages. */
export const apps: readonly string[] = names("apps").filter((name) => name !== "example");

/** The names of the decision files, without extension. */
export const decisions: readonly string[] = names("docs/decisions")
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.replace(/\.md$/, ""));

/** A page of the API reference: one for each public entry point of a package. `typedoc.config.mjs` writes them. */
interface ApiPage {
  /** The name of the entry point, such as `@servicekit/client/react-query`. */
  readonly name: string;
  /** The path of its page, such as `client/react-query`. */
  readonly path: string;
}

export const apiPages: readonly ApiPage[] = names("packages").flatMap((folder) => {
  const manifest = fs.readFileSync(path.join(root, "packages", folder, "package.json"), "utf8");
  const { exports } = JSON.parse(manifest) as { exports: Record<string, { "servicekit-source"?: string }> };
  return Object.entries(exports).flatMap(([entry, { "servicekit-source": source }]) => {
    const page = path.posix.join(folder, entry);
    return entry === "./internal" || source === undefined ? [] : [{ name: `@servicekit/${page}`, path: page }];
  });
});

/** The path of each page in the site, by its file. */
export const placeOf: Readonly<Record<string, string>> = Object.fromEntries([
  ["apps/docs/index.md", "index.md"],
  ["CONTRIBUTING.md", "contributing.md"],
  ["CODE_OF_CONDUCT.md", "conduct.md"],
  ["SECURITY.md", "reporting.md"],
  ["apps/example/README.md", "example.md"],
  ...pagesOf("docs").map((name) => [`docs/${name}`, name]),
  // The type of every error is a URL of this page: it must not change when pages move.
  ["docs/reference/errors.md", "errors.md"],
  ...packages.map((name) => [`packages/${name}/README.md`, `packages/${name}.md`]),
  ["apps/docs/api/README.md", "reference/api/index.md"],
  ...apiPages.map((page) => [`apps/docs/api/${page.name}.md`, `reference/api/${page.path}.md`]),
]);

/**
 * Resolves a link of a file to a page of the site, or to the repository if its target is not a page.
 *
 * @param from the path of the file, relative to the root of the repository
 * @throws if the target does not exist
 */
export function toSiteLink(from: string, link: string): string {
  const [, target = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
  const file = fileOf(from, target);
  if (file === undefined) return link;
  const page =
    placeOf[file] ?? placeOf[path.posix.join(file, "README.md")] ?? placeOf[path.posix.join(file, "index.md")];
  if (page !== undefined) return `/${page}${anchor}`;
  if (!fs.existsSync(path.join(root, file))) throw new Error(`${from} links to ${file}, which does not exist`);
  const kind = fs.statSync(path.join(root, file)).isDirectory() ? "tree" : "blob";
  return `${repository}/${kind}/main/${file}${anchor}`;
}

/** The file of this repository that a relative link or a repository URL names; `undefined` for any other link. */
function fileOf(from: string, target: string): string | undefined {
  if (target === "") return undefined;
  const absolute = new RegExp(`^${repository}/(?:blob|tree)/main/(.*)$`).exec(target)?.[1];
  if (absolute !== undefined) return absolute;
  if (/^[a-z]+:/i.test(target)) return undefined;
  if (target.startsWith("/")) return undefined;
  return path.posix.join(path.posix.dirname(from), target).replace(/\/$/, "");
}

/** The anchor of a heading, by the rules of GitHub, so that links work in both places. */
export function toAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** The text of an API page for the search index: names and descriptions of symbols, without signatures, tables and their headings. */
export function toSearchText(page: string): string {
  return page
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .split("\n")
    .filter((line) => !/^(\||#{4,} |\*\*\*)/.test(line))
    .join("\n");
}
