import { parse, type Token } from "path-to-regexp";

/** A path of the document with the names of its parameters. */
export interface PathTemplate {
  /** Such as `/api/users/{id}`. */
  readonly path: string;
  readonly params: readonly string[];
}

/**
 * The OpenAPI paths of a route in Express's syntax: one more for each optional part (`/files{/:name}`), because OpenAPI
 * has no optional path parameters.
 */
export function pathTemplates(path: string): readonly PathTemplate[] {
  const found = expand(parse(path).tokens).map(({ text, params }) => ({ path: text === "" ? "/" : text, params }));
  return found.filter((template, index) => found.findIndex((other) => other.path === template.path) === index);
}

interface Part {
  readonly text: string;
  readonly params: readonly string[];
}

function expand(tokens: readonly Token[]): readonly Part[] {
  return tokens.reduce<readonly Part[]>(
    (before, token) => {
      const options = optionsOf(token);
      return before.flatMap((start) =>
        options.map((end) => ({ text: start.text + end.text, params: [...start.params, ...end.params] })),
      );
    },
    [{ text: "", params: [] }],
  );
}

function optionsOf(token: Token): readonly Part[] {
  switch (token.type) {
    case "text":
      return [{ text: token.value, params: [] }];
    case "group":
      return [...expand(token.tokens), { text: "", params: [] }];
    default:
      return [{ text: `{${token.name}}`, params: [token.name] }];
  }
}
