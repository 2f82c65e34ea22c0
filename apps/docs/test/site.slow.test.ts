import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentedCodes, problemType } from "../../../packages/core/src/errors/problem-type.js";
import { isBrowserMissing, startBrowser, watchPage } from "../../../packages/openapi/test/browser.js";
import { oneOf, someOf } from "../../../scripts/test/slow-share.js";
import { placeOf, root } from "../.vitepress/pages.js";
import { serveFolder } from "./serve-folder.js";

const folder = path.join(import.meta.dirname, "..");
const dist = path.join(folder, "dist");

/** The built pages by their path in the site. */
let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  for (const [program = "", ...args] of [["typedoc"], ["vitepress", "build"]]) {
    await promisify(execFile)(path.join(folder, "node_modules", ".bin", program), args, { cwd: folder });
  }
  const files = fs.readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
  pages = new Map(files.map((file) => [`/${file}`, fs.readFileSync(path.join(dist, file), "utf8")]));
}, 600_000);

const namesIn = (html: string, pattern: RegExp): readonly string[] =>
  [...html.matchAll(pattern)].map(([, name = ""]) => name.replaceAll("&amp;", "&"));

it("C73 builds one page for each file", () => {
  const expected = Object.values(placeOf).map((place) => `/${place.replace(/\.md$/, ".html")}`);
  expect([...pages.keys()].sort()).toEqual([...expected, "/404.html"].sort());
});

it("C73 has no dead link or anchor", () => {
  const anchors = new Map([...pages].map(([name, html]) => [name, new Set(namesIn(html, / id="([^"]*)"/g))]));
  const dead = [...pages].flatMap(([name, html]) =>
    namesIn(html, /<a [^>]*?href="([^"]*)"/g).flatMap((link) => {
      const { host, pathname, hash } = new URL(link, `http://site${name}`);
      if (host !== "site") return [];
      const target = anchors.get(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
      const isThere = target !== undefined && (hash === "" || target.has(decodeURIComponent(hash.slice(1))));
      return isThere ? [] : [`${name}: ${link}`];
    }),
  );
  expect(dead).toEqual([]);
});

it("C73 documents each error code at the URL of its problem type", () => {
  const workflow = fs.readFileSync(path.join(root, ".github", "workflows", "docs.yml"), "utf8");
  const [, base = ""] = /SITE_BASE: (\S+)/.exec(workflow) ?? [];
  const ids = new Set(namesIn(pages.get("/errors.html") ?? "", /<h3 id="([^"]*)"/g));
  const lost = documentedCodes.filter((code) => {
    const { origin, pathname, hash } = new URL(problemType(code));
    // GitHub Pages serves errors.html at this path.
    return origin !== "https://servicekit.github.io" || pathname !== `${base}errors` || !ids.has(hash.slice(1));
  });
  expect(lost).toEqual([]);
  expect(ids.size).toBe(documentedCodes.length);
});

it("C73 requests nothing from another host", () => {
  const requested = [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/<(?!a )\w+ [^>]*?(?:src|href)="((?:https?:)?\/\/[^"]*)"/g)].map(([, url]) => `${name}: ${url}`),
  );
  expect(requested).toEqual([]);
  const sheets = fs.readdirSync(path.join(dist, "assets")).filter((file) => file.endsWith(".css"));
  expect(sheets.length).toBeGreaterThan(0);
  for (const sheet of sheets) {
    expect(fs.readFileSync(path.join(dist, "assets", sheet), "utf8")).not.toMatch(/url\(["']?(https?:)?\/\//);
  }
});

it("C73 lists the pages of the sidebar in llms.txt, with a description and as Markdown", () => {
  const text = fs.readFileSync(path.join(dist, "llms.txt"), "utf8");
  expect(text).toMatch(/^# servicekit\n\n> .+\n/);
  const listed = [...text.matchAll(/^- \[.+?\]\((\S+\.md)\)(: .+[.])?$/gm)].map(([, place = "", description]) => ({
    place,
    description,
  }));
  expect(text.match(/^- /gm)).toHaveLength(listed.length);
  const places = Object.values(placeOf).filter((place) => place !== "index.md");
  expect(listed.map(({ place }) => place).sort()).toEqual(places.sort());
  const undescribed = listed.filter((one) => one.description === undefined && !one.place.startsWith("reference/api/"));
  expect(undescribed).toEqual([]);
});

it("C73 has no dead link between the Markdown pages", () => {
  const dead = Object.values(placeOf).flatMap((place) => {
    if (place === "index.md") return [];
    const prose = fs.readFileSync(path.join(dist, place), "utf8").replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
    const links = [...prose.matchAll(/\]\(([^)\s#]+\.md)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
    const pages = links.filter((link) => !/^[a-z]+:/.test(link));
    return pages.filter((link) => !fs.existsSync(path.join(dist, path.dirname(place), link)));
  });
  expect(dead).toEqual([]);
});

it("C73 shows a schema, requests with their responses, and a picture on the home page", () => {
  const home = pages.get("/index.html") ?? "";
  const languages = [...home.matchAll(/<div class="language-(\w+)/g)].map(([, language]) => language);
  expect(languages).toEqual(["sh", "prisma", "http", "json", "http", "json"]);
  const [, picture = ""] = /<img src="([^"]+\.png)"/.exec(home) ?? [];
  expect(fs.existsSync(path.join(dist, picture))).toBe(true);
});

describe.skipIf(isBrowserMissing())("C73 the site in a browser without network access", () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let site: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    site = await serveFolder(dist);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const shown = [
    "index",
    "start/quick-start",
    "explanation/requests",
    "reference/query-language",
    "guides/from-express",
    "guides/row-rules",
    "reference/configuration",
  ];
  const measured = [
    ...shown,
    "start/tutorial",
    "guides/existing-project",
    "guides/deployment",
    "guides/error-handling",
    "guides/file-uploads",
    "guides/filtering-and-pagination",
    "explanation/access-rules",
    "explanation/comparison",
    "explanation/cost-limits",
    "explanation/performance",
    "explanation/security",
    "explanation/sql-and-prisma",
    "explanation/why-express",
    "guides/from-nestjs",
    "guides/from-arkos",
    "reference/upgrade-policy",
    "reference/cli",
    "reference/environment",
    "reference/metrics",
    "reference/api/index",
    "reference/api/router",
    "reference/api/client/react-query",
    "errors",
    "explanation/benchmarks",
    "guides/operation",
    "guides/models",
    "reference/authentication",
    "reference/model-configuration",
    "guides/accounts",
    "packages/model-router",
  ];
  const looks = [1280, 390].flatMap((width) => (["light", "dark"] as const).map((colour) => ({ width, colour })));

  it.each(oneOf(looks))(
    "C73 shows pages at $width px in $colour mode without horizontal scrolling",
    async ({ width, colour }) => {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: colour });
      const issues = watchPage(page);
      for (const name of someOf(measured)) {
        await page.goto(`${site.url}/${name}.html`, { waitUntil: "networkidle" });
        expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(width);
        expect(await page.evaluate("document.documentElement.classList.contains('dark')"), name).toBe(
          colour === "dark",
        );
        const pictures = process.env.SITE_PICTURES;
        if (pictures !== undefined) {
          await page.screenshot({ path: path.join(pictures, `${name.replaceAll("/", "-")}-${width}-${colour}.png`) });
        }
      }
      // Prefetches of a page are aborted when the next page opens.
      expect(issues.filter((issue) => !/\/assets\/\S+\.js net::ERR_ABORTED$/.test(issue))).toEqual([]);
      await page.close();
    },
  );

  it("C73 searches without requests to another host", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const issues = watchPage(page);
    await page.goto(`${site.url}/index.html`, { waitUntil: "networkidle" });
    await page.locator(".VPNavBarSearch button").first().click();
    await page.locator("#localsearch-input").fill("icontains");
    const results = page.locator(".VPLocalSearchBox .result");
    await results.first().waitFor();
    expect(await results.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""))).toContainEqual(
      expect.stringContaining("/reference/query-language.html"),
    );
    if (process.env.SITE_PICTURES !== undefined) {
      await page.screenshot({ path: path.join(process.env.SITE_PICTURES, "search.png") });
    }
    expect(issues).toEqual([]);
    await page.close();
  });
});
