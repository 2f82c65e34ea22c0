import { isMailAddress } from "./is-mail-address.js";

interface SenderSettings {
  readonly auth: { readonly user: string };
  readonly from?: string;
  readonly name?: string;
}

/**
 * The sender of emails: `from`, otherwise the user name, otherwise the address in `name`; `undefined` if none is an
 * address.
 */
export function senderOf({
  auth,
  from,
  name,
}: SenderSettings): { readonly address: string; readonly name?: string } | undefined {
  const [, shown = "", inside] = /^([^<>]*)<([^<>]+)>\s*$/.exec(name ?? "") ?? [];
  const named = [inside, name?.trim()].find(isMailAddress);
  const address = from ?? (isMailAddress(auth.user) ? auth.user : named);
  if (!isMailAddress(address)) return undefined;
  const display = isMailAddress(inside) ? shown.trim() : name?.trim();
  return { address, ...(display === undefined || display === "" || display === address ? {} : { name: display }) };
}
