import type { DocumentObject } from "@servicekit/router";

/** A tag of the document. */
export interface Tag {
  readonly name: string;
  readonly description?: string;
}

/** What is known of the tags that the operations have. */
export interface FoundTags {
  /** Those of generated routes. */
  readonly models: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  /** Those that the configuration says, which come first. */
  readonly own: readonly Tag[];
  /** What the tags of the service itself stand for. */
  readonly known: Readonly<Record<string, string>>;
  readonly schemas: Readonly<Record<string, DocumentObject>>;
}

/**
 * The tags: first those that the configuration puts first, then the models, the declared routes and the service itself,
 * each in alphabetical order; and the same apart as groups, for pages that know `x-tagGroups`. A model's is described as
 * the model is, and by its name where nothing is said of that.
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
