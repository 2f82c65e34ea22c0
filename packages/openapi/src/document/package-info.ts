import { readFileSync } from "node:fs";
import path from "node:path";
import type { DocumentObject } from "@servicekit/router";

/**
 * Returns the OpenAPI info of a `package.json`: title, version, description, licence, and its author as the contact.
 * Empty if the file does not exist.
 */
export function readPackageInfo(root: string): DocumentObject & { readonly title?: string } {
  const { name, version, description, license, author } = readManifest(root);
  const contact = readAuthor(author);
  return {
    ...(isText(name) ? { title: name.replace(/^@[^/]+\//, "") } : {}),
    ...(isText(version) ? { version } : {}),
    ...(isText(description) ? { description } : {}),
    ...(isText(license) && !/^(UNLICENSED|SEE LICENSE)/.test(license)
      ? { license: { name: license, identifier: license } }
      : {}),
    ...(Object.keys(contact).length === 0 ? {} : { contact }),
  };
}

/** A person in npm's format, as an object or as `Name <email> (url)`. */
function readAuthor(author: unknown): DocumentObject {
  const found = typeof author === "string" ? /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(author) : undefined;
  const { name, email, url } = (
    found ? { name: found[1]?.trim(), email: found[2], url: found[3] } : (author ?? {})
  ) as DocumentObject;
  return {
    ...(isText(name) ? { name } : {}),
    ...(isText(url) && URL.canParse(url) ? { url } : {}),
    ...(isText(email) && /^[^\s@]+@[^\s@]+$/.test(email) ? { email } : {}),
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function readManifest(root: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    return typeof manifest === "object" && manifest !== null ? (manifest as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
