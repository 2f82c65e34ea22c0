// Publishes every package whose version the registry does not have yet, from dist as it stands: `npm run release`.
// pnpm packs, for it writes real ranges in place of `workspace:`; npm publishes, for provenance and trusted publishing are its own.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const shell = process.platform === "win32";
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-publish-"));

/** Whether the registry has this version of a package; a registry that does not answer ends the release. */
function isPublished(name, version) {
  const args = ["view", `${name}@${version}`, "version", "--json"];
  const { status, stdout, stderr } = spawnSync("pnpm", args, { encoding: "utf8", shell });
  if (status === 0) return stdout.includes(version);
  if (/FETCH_404|PACKAGE_NOT_FOUND/.test(stdout)) return false;
  throw new Error(`The registry cannot be asked for ${name}: ${stdout}${stderr}`);
}

/** A version before a release must not become what `npm install` takes unasked. */
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
