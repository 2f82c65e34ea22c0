/** Parsed here, because the application's cookie parser can be disabled; our values need no decoding. */
export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    return value === "" ? undefined : value;
  }
  return undefined;
}
