import type { IncomingMessage } from "node:http";

/** Gives a request a `query` of its own: Express 5 has only a getter, on the prototype. */
export function setQuery(request: IncomingMessage, query: unknown): void {
  new OwnQuery(request, query);
}

/** Makes no object, and takes the one that it is given for its own. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: what makes the fields below those of the given object.
    return object;
  }
}

/** A field of a class is defined, not set, as `Object.defineProperty` does it, at a tenth of its cost. */
class OwnQuery extends Given {
  query: unknown = undefined;

  constructor(request: IncomingMessage, query: unknown) {
    super(request);
    this.query = query;
  }
}
