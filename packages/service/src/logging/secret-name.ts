import { isSecretName as isSecretKey } from "@servicekit/core/schema";

/** The headers that authenticate a request. */
const header = /authorization|cookie/i;

const isSecret = (name: string): boolean => isSecretKey(name) || header.test(name);

/** Whether the value of a name must not be logged: the name of a key, a header, a parameter or a path of these. */
export function isSecretName(name: string): boolean {
  return isSecret(name) || name.split(/[[\].]|__/).some(isSecret);
}
