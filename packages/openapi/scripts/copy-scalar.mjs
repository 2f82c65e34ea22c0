// Copies Scalar's bundle, with its licence, into the package, so that users need not install its complete dependency
// tree.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const entry = createRequire(import.meta.url).resolve("@scalar/api-reference");
const source = entry.slice(0, entry.lastIndexOf("api-reference") + "api-reference".length);
const target = path.join(import.meta.dirname, "..", "dist", "scalar");
const { version, license, homepage } = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"));
const [from, to] = [path.join(source, "dist", "browser", "standalone.js"), path.join(target, "standalone.js")];
// An up-to-date build writes nothing, because another process may be reading the copy.
const { size } = fs.statSync(from);
if (fs.statSync(to, { throwIfNoEntry: false })?.size !== size) {
  fs.mkdirSync(target, { recursive: true });
  fs.copyFileSync(from, to);
}
const notice = `standalone.js is @scalar/api-reference ${version}, ${homepage}, under the ${license} licence.\n`;
const noticeFile = path.join(target, "NOTICE");
if (!fs.existsSync(noticeFile) || fs.readFileSync(noticeFile, "utf8") !== notice) fs.writeFileSync(noticeFile, notice);
