const secret =
  /passw|pass(phrase|code)?$|pwd|secret|token|authorization|cookie|(api|access|private|encryption)[-_]?key|credential/i;

/** Whether the value of a name must not be logged: the name of a key, a header, a parameter or a path of these. */
export function isSecretName(name: string): boolean {
  return secret.test(name) || name.split(/[[\].]|__/).some((part) => secret.test(part));
}
