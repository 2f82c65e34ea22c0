/** What the page is told by its own HTML: see `src/page.ts` of this package. */
export interface Facts {
  readonly path: string;
  readonly document: string | null;
  readonly signIn: { readonly usernames: readonly string[]; readonly isDynamic: boolean } | null;
}

const isPage = typeof document !== "undefined";

export const facts = JSON.parse((isPage && document.getElementById("facts")?.textContent) || "{}") as Facts;

/** What a proxy has put before the paths of the service. */
const prefix = isPage && location.pathname.endsWith(facts.path) ? location.pathname.slice(0, -facts.path.length) : "";

/** Whether people sign in here, by a name and a password. */
export const hasLogin = (facts.signIn?.usernames.length ?? 0) > 0;

/** Where the service is, without `/api`. */
export const baseUrl = isPage ? location.origin + prefix : "";
