/** The request that a curl line sends; supports only the options of this example. */
export function readCurl(line: string): {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  /** The fields of a form, each `name=value` or `name=@file`. */
  readonly form: readonly string[];
} {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const option = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
  const url = words.find((word) => /^(http:\/\/)?(localhost|127\.0\.0\.1):\d+\//.test(word)) ?? "";
  const form = words.filter((_word, at) => words[at - 1] === "-F");
  const method = option("-X") ?? (form.length > 0 || words.includes("-d") ? "POST" : "GET");
  return { method, path: url.replace(/^(http:\/\/)?[^/]+/, ""), body: option("-d"), form };
}
