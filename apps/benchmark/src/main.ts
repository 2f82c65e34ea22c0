import fs from "node:fs";
import path from "node:path";
import { costsSections } from "./costs/costs-section.js";
import { scanSections } from "./costs/scan-section.js";
import { dispatchSections } from "./dispatch/dispatch-sections.js";
import { figuresSections } from "./figures/figures-section.js";
import { loginsSections } from "./logins/logins-section.js";
import { withProcessors } from "./measure/pin.js";
import { overloadSections } from "./overload/overload-section.js";
import { peersSections } from "./peers/peers-section.js";
import { quotesSections } from "./quotes/quotes-section.js";
import { type Section, toMarkdown, toPage } from "./report.js";
import { sessionsSections } from "./sessions/sessions-section.js";
import { shopSections } from "./shop/shop-section.js";
import { startSections } from "./start/start-section.js";
import { uploadsSections } from "./uploads/uploads-section.js";
import { workersSections } from "./workers/workers-section.js";

const parts: Readonly<Record<string, () => Promise<Section[]>>> = {
  peers: () => withProcessors(peersSections),
  dispatch: dispatchSections,
  quotes: quotesSections,
  shop: shopSections,
  start: startSections,
  uploads: uploadsSections,
  logins: loginsSections,
  sessions: sessionsSections,
  costs: async () => [...(await costsSections()), ...(await scanSections())],
  figures: figuresSections,
  workers: () => withProcessors(workersSections),
  overload: overloadSections,
};

const page = path.join(import.meta.dirname, "..", "..", "..", "docs", "explanation", "benchmarks.md");

const asked = process.argv.slice(2).filter((word) => word !== "--page");
const isForPage = asked.length === 0 || process.argv.includes("--page");
const unknown = asked.filter((name) => parts[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}; known are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

const sections: Section[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.error(`Measuring: ${name} …`);
  const measured = await measure();
  for (const section of measured) console.log(toMarkdown(section));
  sections.push(...measured);
}

if (isForPage) {
  fs.writeFileSync(page, toPage(sections, fs.existsSync(page) ? fs.readFileSync(page, "utf8") : ""));
  console.error(`Written: ${path.relative(process.cwd(), page)}`);
}
