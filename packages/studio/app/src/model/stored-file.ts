/** A file stored by the service. */
export interface StoredFile {
  /** Its path, without the prefix of a proxy. */
  readonly path: string;
  readonly isImage: boolean;
}

const shown = /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/;
const end = "/:fileType/:fileName";

/**
 * The file whose path or URL is a text of a row; `undefined` for any other text, and for a URL of another host.
 *
 * @param route the route that serves files, such as `/api/uploads/:fileType/:fileName`
 * @param origin the origin of the service
 */
export function readStoredFile(text: string, route: string, origin: string): StoredFile | undefined {
  if (!route.endsWith(end)) return undefined;
  const base = `${route.slice(0, -end.length)}/`;
  const path = text.startsWith(`${origin}/`) ? text.slice(origin.length) : text;
  // Nothing that could lead out of the folder: the names are those that the service generates.
  if (!path.startsWith(base) || !/^[\w-]+\/\w[\w.-]*$/.test(path.slice(base.length))) return undefined;
  return { path, isImage: shown.test(path.toLowerCase()) };
}

/** Whether a text can be a path or a URL. */
export const isPathLike = (text: string): boolean => /^(https?:\/)?\/[^\s?#]+$/.test(text);

/** The identification of a file inside a stored file description (contract C34). */
export function pathnameIn(value: unknown): string | undefined {
  const { pathname } = Object(value) as { readonly pathname?: unknown };
  return typeof pathname === "string" ? pathname : undefined;
}
