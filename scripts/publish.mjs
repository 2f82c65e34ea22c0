// Publishes every package whose version is not in the registry yet, from the existing dist: `npm run release`.
// pnpm packs, because it replaces `workspace:` by real ranges; npm publishes, because it supports provenance and
// trusted publishing.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const shell = process.platform === "win32";
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-publish-"));

/** Whether the registry has this version of a package; an unreachable registry aborts the release. */
function isPublished(name, version) {
  const args = ["view", `${name}@${version}`, "version", "--json"];
  const { status, stdout, stderr } = spawnSync("pnpm", args, { encoding: "utf8", shell });
  if (status === 0) return stdout.includes(version);
  if (/FETCH_404|PACKAGE_NOT_FOUND/.test(stdout)) return false;
  throw new Error(`The registry cannot be queried for ${name}: ${stdout}${stderr}`);
}

/** A prerelease must not become the default of `npm install`. */
const tagOf = (version) => /-([a-z]+)/.exec(version)?.[1] ?? "latest";

try {
  for (const folder of fs.readdirSync(path.join(root, "packages")).map((name) => path.join(root, "packages", name))) {
    const { name, version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    if (isPublished(name, version)) continue;
    const target = path.join(place, path.basename(folder));
    execFileSync("pnpm", ["pack", "--pack-destination", target], { cwd: folder, stdio: "pipe", shell });
    const [tarball = ""] = fs.readdirSync(target);
    const args = ["publish", path.join(target, tarball), "--access", "public", "--tag", tagOf(version)];
    execFileSync("npm", args, { cwd: place, stdio: "inherit", shell });
  }
} finally {
  fs.rmSync(place, { recursive: true, force: true });
}
