/** The data in the page's HTML: see `src/page.ts` of this package. */
export interface Facts {
  readonly path: string;
  readonly title: string;
  readonly document: string | null;
  readonly signIn: { readonly usernames: readonly string[]; readonly isDynamic: boolean } | null;
}

const isPage = typeof document !== "undefined";

export const facts = JSON.parse((isPage && document.getElementById("facts")?.textContent) || "{}") as Facts;

/** The prefix that a proxy adds to the paths of the service. */
const prefix = isPage && location.pathname.endsWith(facts.path) ? location.pathname.slice(0, -facts.path.length) : "";

/** Whether users sign in here, with a name and a password. */
export const hasLogin = (facts.signIn?.usernames.length ?? 0) > 0;

/** The URL of the service, without `/api`. */
export const baseUrl = isPage ? location.origin + prefix : "";
