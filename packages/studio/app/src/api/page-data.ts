/** The data in the page's HTML: see `src/page.ts` of this package. */
export interface PageData {
  readonly path: string;
  readonly title: string;
  readonly document: string | null;
  readonly signIn: { readonly usernames: readonly string[]; readonly isDynamic: boolean } | null;
}

const isPage = typeof document !== "undefined";

export const pageData = JSON.parse((isPage && document.getElementById("page-data")?.textContent) || "{}") as PageData;

/** The prefix that a proxy adds to the paths of the service. */
const prefix =
  isPage && location.pathname.endsWith(pageData.path) ? location.pathname.slice(0, -pageData.path.length) : "";

/** Whether users sign in here, with a name and a password. */
export const hasLogin = (pageData.signIn?.usernames.length ?? 0) > 0;

/** The URL of the service, without `/api`. */
export const baseUrl = isPage ? location.origin + prefix : "";
