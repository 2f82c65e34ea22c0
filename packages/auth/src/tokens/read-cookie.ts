/** Read here, because the application's cookie parser can be turned off; what we write needs no decoding. */
export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    return value === "" ? undefined : value;
  }
  return undefined;
}
