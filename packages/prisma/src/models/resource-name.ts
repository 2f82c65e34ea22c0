/**
 * The kebab-case singular of a model's name (contract C6): `MediaType` is `media-type`, `HTTPLog` is `http-log`,
 * `User2FA` is `user-2fa`.
 */
export function resourceName(model: string): string {
  const words = model.match(/\d+[A-Z]+(?![a-z])|[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+(?:\d+(?!\d|[A-Z]{2}))?|\d+/g) ?? [];
  return words.join("-").toLowerCase();
}
