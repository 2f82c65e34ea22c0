import type { DocumentObject } from "@servicekit/router";

/** A reference to a named schema. */
export const reference = (name: string): DocumentObject => ({ $ref: `#/components/schemas/${name}` });

/** The names under which the schemas of a model stand in the document. */
export const componentNames = (model: string) =>
  ({
    row: model,
    /** The fields of a row that a request chose. */
    part: `${model}Part`,
    create: `${model}Create`,
    update: `${model}Update`,
    /** An item of a bulk update. */
    item: `${model}UpdateItem`,
    /** What names a row in a relation. */
    link: `${model}Link`,
    /** A row that is changed through a relation. */
    change: `${model}Change`,
  }) as const;
