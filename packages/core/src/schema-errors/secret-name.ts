const secretName = /pass|secret|token|credential|private|(api|access|encryption)-?_?key/i;

/** Returns whether a key has the name of a secret. Its value and everything inside it is never printed. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
