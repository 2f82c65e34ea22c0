import fs from "node:fs";
import path from "node:path";
import type { DefaultTheme, SiteConfig } from "vitepress";
import { placeOf, root, toSiteLink } from "./pages.js";

/**
 * Writes the site for language models: each page as Markdown beside its HTML file, and `llms.txt`, which lists the pages of the
 * sidebar with their first sentence (https://llmstxt.org).
 */
export function writeLlms({ outDir, site }: SiteConfig<DefaultTheme.Config>): void {
  const { sidebar = [] } = site.themeConfig;
  const descriptions = new Map<string, string>();
  for (const [file, place] of Object.entries(placeOf)) {
    if (place === "index.md") continue;
    const text = fs.readFileSync(path.join(root, file), "utf8");
    descriptions.set(place, descriptionOf(text));
    fs.writeFileSync(path.join(outDir, place), withSiteLinks(file, place, text));
  }
  const sections = (sidebar as readonly DefaultTheme.SidebarItem[]).map(({ text, items = [] }) => {
    const lines = pagesBelow(items).map(({ name, place }) => {
      const description = descriptions.get(place);
      return `- [${name}](${place})${description === "" ? "" : `: ${description}`}`;
    });
    return `## ${text}\n\n${lines.join("\n")}`;
  });
  const introduction = `# ${site.title}\n\n> ${site.description}\n\nEvery page is available as Markdown: replace \`.html\` by \`.md\`.`;
  fs.writeFileSync(path.join(outDir, "llms.txt"), `${[introduction, ...sections].join("\n\n")}\n`);
}

/** The pages of a part of the sidebar, at every depth. */
function pagesBelow(items: readonly DefaultTheme.SidebarItem[]): { readonly name: string; readonly place: string }[] {
  return items.flatMap(({ text = "", link, items: below = [] }) => {
    const place = link?.replace(/^\//, "").replace(/\/$/, "/index");
    return [...(place === undefined ? [] : [{ name: text, place: `${place}.md` }]), ...pagesBelow(below)];
  });
}

/** The first sentence of a page, without the markup of links; empty if no paragraph follows the title. */
function descriptionOf(text: string): string {
  const [, paragraph = ""] = /(?:^|\n)# .*\n+(?:<!--[\s\S]*?-->\n+)?([A-Za-z`[(*][\s\S]*?)(?:\n\n|$)/.exec(text) ?? [];
  const plain = paragraph
    .trim()
    .replaceAll("**", "")
    .replaceAll("\n", " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return /^.*?[.:](?= [A-Z`]|$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
}

/** A page whose links to other pages lead to their Markdown files, relative to its place. */
function withSiteLinks(file: string, place: string, text: string): string {
  const parts = text.split(/^(```[\s\S]*?^```)$/m);
  const linked = parts.map((part) =>
    part.startsWith("```")
      ? part
      : part.replaceAll(/\]\(([^)\s]+)\)/g, (_all, link: string) => {
          const target = toSiteLink(file, link);
          const isPage = target.startsWith("/") && target !== link;
          return `](${isPage ? path.posix.relative(path.posix.dirname(place), target.slice(1)) : target})`;
        }),
  );
  return linked.join("");
}
