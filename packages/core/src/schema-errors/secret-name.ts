const secretName = /passw|pass(phrase|code)?$|pwd|secret|token|credential|(api|access|private|encryption)[-_]{0,2}key/i;

/** Returns whether a key has the name of a secret. Its value and everything inside it is never printed. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
