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

/** The applications whose READMEs are for those who work on them, and no pages. */
export const apps: readonly string[] = names("apps").filter((name) => name !== "example");

/** The decisions, as the names of their files without an ending. */
export const decisions: readonly string[] = names("docs/decisions")
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.replace(/\.md$/, ""));

/** Where the file of each page is in the site, both from their roots. */
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
]);

/**
 * Where a link of a file leads in the site: to the page of another file, or to the repository where that file is no page.
 *
 * @param from the file, from the root of the repository
 */
export function toSiteLink(from: string, link: string): string {
  const [, target = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
  const file = fileOf(from, target);
  if (file === undefined) return link;
  const page =
    placeOf[file] ?? placeOf[path.posix.join(file, "README.md")] ?? placeOf[path.posix.join(file, "index.md")];
  if (page !== undefined) return `/${page}${anchor}`;
  if (!fs.existsSync(path.join(root, file))) throw new Error(`${from}: there is no ${file}, which it links to`);
  const kind = fs.statSync(path.join(root, file)).isDirectory() ? "tree" : "blob";
  return `${repository}/${kind}/main/${file}${anchor}`;
}

/** The file of this repository that a link names, relatively or by its address; `undefined` for any other link. */
function fileOf(from: string, target: string): string | undefined {
  if (target === "") return undefined;
  const absolute = new RegExp(`^${repository}/(?:blob|tree)/main/(.*)$`).exec(target)?.[1];
  if (absolute !== undefined) return absolute;
  if (/^[a-z]+:/i.test(target)) return undefined;
  if (target.startsWith("/")) return undefined;
  return path.posix.join(path.posix.dirname(from), target).replace(/\/$/, "");
}

/** The anchor of a heading, as GitHub writes it: so that a link leads to the same place there and here. */
export function toAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
