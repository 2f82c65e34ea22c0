import type { DocumentObject } from "@servicekit/router";

/** The direction of a value: sent by clients, or returned to them. */
export type Direction = "input" | "output";

/**
 * The named schemas of one document. Each schema has one name, and each name one schema: if two differ, the second gets
 * another name.
 */
export class SchemaCollector {
  readonly #schemas = new Map<string, string>();
  readonly #named = new Map<string, DocumentObject>();
  readonly #components = new Map<DocumentObject, string>();
  readonly #componentTexts = new Map<string, string>();

  /** @param warn receives a message for each schema that cannot be represented */
  constructor(readonly warn: (message: string) => void) {}

  /** Adds a schema under a name, or under the next one that is free. @returns the reference to it */
  add(wanted: string, schema: DocumentObject): DocumentObject {
    const text = JSON.stringify(schema);
    const name = this.nameFor(wanted, text);
    this.#schemas.set(name, text);
    this.#named.set(name, schema);
    return referenceTo(name);
  }

  /**
   * Adds a schema under the name that it requests, once per object, however many routes use it.
   *
   * @returns its name in this document, and whether it is new: then {@link SchemaCollector.complete} sets its
   * references
   */
  reserve(wanted: string, schema: DocumentObject): { readonly name: string; readonly isNew: boolean } {
    const known = this.#components.get(schema);
    if (known !== undefined) return { name: known, isNew: false };
    const text = JSON.stringify(schema);
    const key = `${wanted} ${text}`;
    const same = this.#componentTexts.get(key);
    const name = same ?? this.nameFor(wanted, text);
    this.#components.set(schema, name);
    this.#componentTexts.set(key, name);
    if (same !== undefined) return { name, isNew: false };
    this.#schemas.set(name, text);
    this.#named.set(name, schema);
    return { name, isNew: true };
  }

  /** Sets the schema of a reserved name, with its references in this document. */
  complete(name: string, schema: DocumentObject): void {
    this.#named.set(name, schema);
  }

  /** The schema under a name. */
  find(name: string): DocumentObject | undefined {
    return this.#named.get(name);
  }

  /** The name under which a schema would be added. */
  nameFor(wanted: string, text: string): string {
    const base = wanted.replace(/[^\w.-]+/g, "_") || "Schema";
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? base : `${base}${count}`;
      const known = this.#schemas.get(name);
      if (known === undefined || known === text) return name;
    }
  }

  /** All schemas by name. */
  get schemas(): Readonly<Record<string, DocumentObject>> {
    return Object.fromEntries(this.#named);
  }
}

/** A reference to a named schema. */
export const referenceTo = (name: string): DocumentObject => ({ $ref: `#/components/schemas/${name}` });
