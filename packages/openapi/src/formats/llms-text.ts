import type { DocumentObject } from "@servicekit/router";
import type { OpenApiDocument } from "../document/open-api-document.js";
import type { Tag } from "../document/tags.js";

/** The locations of a service's other descriptions, relative to this one. */
export interface DescriptionLinks {
  /** The OpenAPI document as JSON. */
  readonly document: string;
  /** The schemas only. */
  readonly schemas: string;
}

/**
 * A summary of a service for language models (contract C75), in pieces, in the format of <https://llmstxt.org>:
 * Markdown with the name and description of the service, links to its documentation, and its operations by tag.
 */
export function* llmsText(document: OpenApiDocument, links: DescriptionLinks): Generator<string> {
  const { info, tags = [] } = document as OpenApiDocument & { readonly tags?: readonly Tag[] };
  const { title, description } = info as { readonly title: unknown; readonly description?: unknown };
  yield `# ${inLine(title)}\n\n`;
  if (typeof description === "string") yield `> ${inLine(description)}\n\n`;
  yield `${introduction}\n\n## Documents\n\n`;
  yield `- [OpenAPI document](${links.document}): every operation with its parameters, bodies, responses and errors.\n`;
  yield `- [JSON schemas](${links.schemas}): bodies and rows only.\n`;
  const operations = byTag(document);
  for (const { name, description } of tags) {
    const lines = operations.get(name);
    if (lines === undefined) continue;
    yield `\n## ${inLine(name)}\n\n`;
    if (description !== undefined) yield `${inLine(description)}\n\n`;
    yield `${lines.join("\n")}\n`;
  }
}

const introduction =
  "A JSON API over HTTP. Successful responses have their content in `data`; errors are problem details (RFC 9457) with a `code`. The description of a list operation lists its filters and options.";

function byTag({ paths }: OpenApiDocument): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations as Readonly<Record<string, DocumentObject>>)) {
      const [tag] = (operation.tags ?? []) as readonly string[];
      if (tag === undefined) continue;
      const line = `- \`${method.toUpperCase()} ${path}\`: ${inLine(operation.summary ?? operation.operationId)}`;
      found.set(tag, [...(found.get(tag) ?? []), line]);
    }
  }
  return found;
}

/** An application's text, without lines that would be read as structure. */
const inLine = (text: unknown): string => String(text).replaceAll(/\s+/g, " ").trim();
