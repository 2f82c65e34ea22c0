import { namesOf } from "@servicekit/core/internal";

/** The list is in lower case. */
const commonest = once(async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = namesOf(await import("@zxcvbn-ts/language-common"));
  return new Set<string>(dictionary["passwords-common"] as readonly string[]);
});

/** Whether a password is one of the most common, in any case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  return (await commonest()).has(password.toLowerCase());
}

/** Reads the list in advance. */
export async function loadCommonPasswords(): Promise<void> {
  await commonest();
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
