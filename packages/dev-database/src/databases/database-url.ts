/** The same server, user and settings, another database. */
export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(name)}`;
  return other.href;
}

/** A name as SQL wants it, whatever is in it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
