import { readFileSync } from "node:fs";
import path from "node:path";

/** What a `package.json` says of an API, in the words of OpenAPI. */
export interface PackageInfo {
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly license?: { readonly name: string; readonly identifier: string };
  readonly [key: string]: unknown;
}

/** Reads the title, version, description and licence of the application; nothing where there is no `package.json`. */
export function readPackageInfo(root: string): PackageInfo {
  const { name, version, description, license } = readManifest(root);
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
  return {
    ...(isText(name) ? { title: name.replace(/^@[^/]+\//, "") } : {}),
    ...(isText(version) ? { version } : {}),
    ...(isText(description) ? { description } : {}),
    ...(isText(license) && !/^(UNLICENSED|SEE LICENSE)/.test(license)
      ? { license: { name: license, identifier: license } }
      : {}),
  };
}

function readManifest(root: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    return typeof manifest === "object" && manifest !== null ? (manifest as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
