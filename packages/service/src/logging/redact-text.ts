import { isSecretName } from "./secret-name.js";

/** `name=value` of a query, a fragment, a form or a list of cookies. */
const pair = /(^|[?&;#\s])([^?&;#=\s]{1,200})=([^&;#\s]*)/g;
/** `"name":` of a JSON text and `name:` of a printed object. */
const memberName = /(["']?)([\w$.-]{1,200})\1\s*:\s*/g;
/** The possible values: a quoted text, an object, a list, a word. */
const memberValue = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\{[^{}]*\}?|\[[^[\]]*\]?|[^\s,}\]]+/y;
/** The credentials before the host of a URL. */
const userInfo = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#\s@]*@/gi;
/** Under any name: a bearer token and a JSON web token. */
const bearer = /\b(bearer|basic)\s+[\w.~+/=-]{4,}/gi;
const webToken = /(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g;

/**
 * A text for the log: secrets in URLs, forms and JSON are `***`, long texts are truncated.
 *
 * @param most maximum number of characters
 */
export function redactText(text: string, max: number): string {
  const shown = text.length > max ? `${text.slice(0, max)}…` : text;
  const plain = shown
    .replace(userInfo, "$1***@")
    .replace(bearer, "$1 ***")
    .replace(webToken, "***")
    .replace(pair, (complete, before: string, name: string) => (isSecret(name) ? `${before}${name}=***` : complete));
  return redactMembers(plain);
}

/** Continues from name to name, so that an object under a harmless name is searched. */
function redactMembers(text: string): string {
  if (!text.includes(":")) return text;
  const names = new RegExp(memberName);
  const value = new RegExp(memberValue);
  let redacted = "";
  let from = 0;
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    if (!isSecretName(found[2] ?? "")) continue;
    value.lastIndex = names.lastIndex;
    if (value.exec(text) === null) continue;
    redacted += `${text.slice(from, names.lastIndex)}***`;
    from = value.lastIndex;
    names.lastIndex = from;
  }
  return redacted + text.slice(from);
}

function isSecret(name: string): boolean {
  try {
    return isSecretName(decodeURIComponent(name));
  } catch {
    return isSecretName(name);
  }
}
