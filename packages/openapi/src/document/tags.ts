import type { DocumentObject } from "@servicekit/router";

/** A tag of the document. */
export interface Tag {
  readonly name: string;
  readonly description?: string;
}

/** The properties of the operations' tags. */
export interface FoundTags {
  /** Those of generated routes. */
  readonly models: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  /** Those of the configuration, which come first. */
  readonly own: readonly Tag[];
  /** The descriptions of the service's own tags. */
  readonly known: Readonly<Record<string, string>>;
  readonly schemas: Readonly<Record<string, DocumentObject>>;
}

/**
 * The tags: first those that the configuration puts first, then the models, the declared routes and the service itself,
 * each in alphabetical order; and as groups, for pages that support `x-tagGroups`. A model's tag has the description of
 * the model, or its name.
 */
export function describeTags({ models, all, own, known, schemas }: FoundTags): DocumentObject {
  const groupOf = (name: string): string =>
    models.has(name) ? "Models" : Object.hasOwn(known, name) ? "Service" : "Routes";
  const groups = ["Models", "Routes", "Service"].map((name) => ({
    name,
    tags: [...all].filter((tag) => groupOf(tag) === name).sort(),
  }));
  const others = groups.flatMap(({ tags }) => tags).filter((name) => !own.some((tag) => tag.name === name));
  const described = others.map((name): Tag => {
    const ofModel = models.has(name) ? (schemas[name]?.description ?? `Rows of ${name}.`) : undefined;
    const description = known[name] ?? ofModel;
    return typeof description === "string" ? { name, description } : { name };
  });
  const filled = groups.filter(({ tags }) => tags.length > 0);
  return { tags: [...own, ...described], ...(filled.length < 2 ? {} : { "x-tagGroups": filled }) };
}
