import { randomBytes } from "node:crypto";
import { escapeHtml } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { isPlainText, makeHeadlineMarks, originalExcerpt } from "@servicekit/prisma/internal";
import type { RequestHandler } from "express";
import { modelLocals, modelState } from "../request/request-state.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";

/**
 * Adds excerpts of the rows of a response with the words of the search in `<mark>`, as `meta.highlights` in the order of the
 * rows (contract C103). They are made of the returned values, after all hooks, so that they contain nothing else.
 */
export function highlight({ model }: Resource, database: Database): RequestHandler {
  return async (request, response, next) => {
    const search = modelState(request).list?.highlighted;
    const locals = modelLocals(response);
    if (search === undefined || !Array.isArray(locals.data)) return next();
    const rows = locals.data as readonly Row[];
    const names = search.fields.map(({ field }) => field.name);
    const places = rows.flatMap((row, at) =>
      names.flatMap((name) => {
        const text = row[name];
        return typeof text === "string" && text !== "" && isPlainText(text) ? [{ at, name, text }] : [];
      }),
    );
    const excerpts = places.length === 0 ? [] : await excerptsOf(places, search, database.of(model));
    const highlights: Record<string, string>[] = rows.map(() => ({}));
    for (const [index, { at, name }] of places.entries()) {
      const excerpt = excerpts[index];
      if (excerpt !== undefined) (highlights[at] as Record<string, string>)[name] = excerpt;
    }
    locals.meta = { ...locals.meta, highlights };
    next();
  };
}

/** The excerpt of each text; `undefined` for one without a word of the search. */
async function excerptsOf(
  places: readonly { readonly text: string }[],
  { language, text }: { readonly language: string; readonly text: string },
  delegate: ReturnType<Database["of"]>,
): Promise<readonly (string | undefined)[]> {
  const marks = makeHeadlineMarks(() => randomBytes(12).toString("hex"));
  const args = { language, text, texts: places.map((place) => place.text), marks };
  const result = await delegate.execute({ operation: "headline", args });
  const rows = "rows" in result ? result.rows : [];
  const [start, end] = marks.word;
  return rows.map(({ headline }, index) => {
    const excerpt = String(headline);
    if (!excerpt.includes(start)) return undefined;
    return escapeHtml(originalExcerpt(excerpt, args.texts[index] ?? "", marks))
      .replaceAll(start, "<mark>")
      .replaceAll(end, "</mark>");
  });
}
