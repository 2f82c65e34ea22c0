import { isSecretName } from "./secret-name.js";

/** The password of a connection string is a secret under any name, also in its query. */
export const hidePassword = (text: string): string =>
  text
    .replace(/:\/\/([^/\s:@]*):[^/\s]*@/g, "://$1:***@")
    .replace(/([?&]([^?&=#\s]+)=)[^?&#\s]*/g, (pair: string, before: string, name: string) =>
      isSecretName(name) ? `${before}***` : pair,
    );
