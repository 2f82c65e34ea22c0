import { welcomeMessage } from "./welcome-message.js";

/**
 * The program at an address: the shop itself, another one, or none. Checked before anything is started, so that a
 * second start has no effect.
 */
export async function findRunning(url: string): Promise<"shop" | "other" | "none"> {
  try {
    const response = await fetch(`${url}/api`, { signal: AbortSignal.timeout(2_000) });
    const body = (await response.json()) as { readonly message?: unknown } | null;
    return body?.message === welcomeMessage ? "shop" : "other";
  } catch (error) {
    const { code } = (error as { readonly cause?: { readonly code?: unknown } }).cause ?? {};
    return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EADDRNOTAVAIL" ? "none" : "other";
  }
}
