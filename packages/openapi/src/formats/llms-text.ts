import type { DocumentObject } from "@servicekit/router";
import type { OpenApiDocument } from "../document/open-api-document.js";
import type { Tag } from "../document/tags.js";

/** Where the other descriptions of a service are, seen from this one. */
export interface DescriptionLinks {
  /** The OpenAPI document as JSON. */
  readonly document: string;
  /** The schemas alone. */
  readonly schemas: string;
}

/**
 * A service in short for language models (contract C75), in pieces, as <https://llmstxt.org> has it: Markdown with the name
 * of the service, what it is, where it is told at length, and a list of its operations by their tags.
 */
export function* llmsText(document: OpenApiDocument, links: DescriptionLinks): Generator<string> {
  const { info, tags = [] } = document as OpenApiDocument & { readonly tags?: readonly Tag[] };
  const { title, description } = info as { readonly title: unknown; readonly description?: unknown };
  yield `# ${inLine(title)}\n\n`;
  if (typeof description === "string") yield `> ${inLine(description)}\n\n`;
  yield `${introduction}\n\n## Documents\n\n`;
  yield `- [OpenAPI document](${links.document}): every operation with its parameters, bodies, answers and errors.\n`;
  yield `- [JSON schemas](${links.schemas}): the bodies and rows alone.\n`;
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
  "A JSON API over HTTP. A good answer has its content in `data`; any other is a problem (RFC 9457) with a `code`. What a list can be asked for stands in the description of its operation.";

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

/** What an application says, without lines that would read as others of this text. */
const inLine = (text: unknown): string => String(text).replaceAll(/\s+/g, " ").trim();
