import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { toAnchor } from "../apps/docs/.vitepress/pages.js";

const root = path.join(import.meta.dirname, "..");
const repository = "https://github.com/servicekit/servicekit";
const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((name) => name !== "" && fs.existsSync(path.join(root, name)));

/** The text of a page without its code blocks. */
const textOf = (page: string): string =>
  fs.readFileSync(path.join(root, page), "utf8").replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");

/** The file of this repository that a link names; `undefined` for links to other places. */
function targetOf(page: string, link: string): string | undefined {
  if (link === "") return page;
  if (link.startsWith(`${repository}/blob/main/`)) return link.slice(`${repository}/blob/main/`.length);
  if (link.startsWith(`${repository}/tree/main/`)) return link.slice(`${repository}/tree/main/`.length);
  return /^[a-z]+:|^\//i.test(link) ? undefined : path.posix.join(path.posix.dirname(page), link);
}

function isDead(page: string, link: string, anchor: string): boolean {
  const target = targetOf(page, link);
  if (target === undefined) return false;
  if (!fs.existsSync(path.join(root, target))) return true;
  if (anchor === "" || !target.endsWith(".md")) return false;
  const headings = [...textOf(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => `#${toAnchor(heading)}`);
  return !headings.includes(anchor);
}

it("finds the file and the heading of every link between Markdown files", () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s#]*)(#[^)\s]*)?\)/g)].map(([, link = "", anchor = ""]) => ({
      page,
      link,
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ page, link, anchor }) => isDead(page, link, anchor))).toEqual([]);
});
