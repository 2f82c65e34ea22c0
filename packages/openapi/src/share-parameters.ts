import type { DocumentObject } from "@servicekit/router";

type Paths = Readonly<Record<string, Readonly<Record<string, DocumentObject>>>>;

/**
 * Gives every parameter that several operations have a name, so that it stands in the document once: that of its tag
 * where all of them have it (`Product.price__gte`), else its own.
 */
export function shareParameters(paths: Paths): {
  readonly paths: Paths;
  readonly parameters: Readonly<Record<string, DocumentObject>>;
} {
  const found = new Map<string, { readonly parameter: DocumentObject; readonly tags: Set<string>; count: number }>();
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const parameter of parametersOf(operation)) {
      const text = JSON.stringify(parameter);
      const known = found.get(text) ?? { parameter, tags: new Set<string>(), count: 0 };
      found.set(text, known);
      known.count += 1;
      for (const tag of operation.tags as readonly string[]) known.tags.add(tag);
    }
  }
  const parameters: Record<string, DocumentObject> = {};
  const references = new Map<string, DocumentObject>();
  for (const [text, { parameter, tags, count }] of found) {
    if (count < 2 || parameter.in === "path" || "$ref" in parameter) continue;
    const [tag] = tags;
    const wanted = (tags.size === 1 ? `${tag}.${parameter.name}` : String(parameter.name)).replace(/[^\w.-]+/g, "_");
    let name = wanted;
    for (let number = 2; name in parameters; number += 1) name = `${wanted}${number}`;
    parameters[name] = parameter;
    references.set(text, { $ref: `#/components/parameters/${name}` });
  }
  const share = (operation: DocumentObject): DocumentObject =>
    operation.parameters === undefined
      ? operation
      : {
          ...operation,
          parameters: parametersOf(operation).map((each) => references.get(JSON.stringify(each)) ?? each),
        };
  const mapped = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, share(operation)])),
  ]);
  return { paths: Object.fromEntries(mapped), parameters: Object.fromEntries(Object.entries(parameters).sort(byName)) };
}

const parametersOf = ({ parameters = [] }: DocumentObject): readonly DocumentObject[] =>
  parameters as readonly DocumentObject[];

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
