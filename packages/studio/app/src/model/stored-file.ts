/** A file that the service keeps. */
export interface StoredFile {
  /** Its path, without what a proxy puts before it. */
  readonly path: string;
  readonly isImage: boolean;
}

const shown = /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/;
const end = "/:fileType/:fileName";

/**
 * The file that a text of a row is the path or the address of; `undefined` for any other text, and for an address of
 * another host.
 *
 * @param route the route that serves files, such as `/api/uploads/:fileType/:fileName`
 * @param origin where the service is
 */
export function readStoredFile(text: string, route: string, origin: string): StoredFile | undefined {
  if (!route.endsWith(end)) return undefined;
  const base = `${route.slice(0, -end.length)}/`;
  const path = text.startsWith(`${origin}/`) ? text.slice(origin.length) : text;
  // Nothing that could lead out of the folder: the names are those that the service gives.
  if (!path.startsWith(base) || !/^[\w-]+\/\w[\w.-]*$/.test(path.slice(base.length))) return undefined;
  return { path, isImage: shown.test(path.toLowerCase()) };
}

/** Whether a text may be a path or an address at all. */
export const isPathLike = (text: string): boolean => /^(https?:\/)?\/[^\s?#]+$/.test(text);

/** What a stored file is told by where a whole description of it is kept (contract C34). */
export function pathnameIn(value: unknown): string | undefined {
  const { pathname } = Object(value) as { readonly pathname?: unknown };
  return typeof pathname === "string" ? pathname : undefined;
}
