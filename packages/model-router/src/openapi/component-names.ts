import type { DocumentObject } from "@servicekit/router";

/** A reference to a named schema. */
export const reference = (name: string): DocumentObject => ({ $ref: `#/components/schemas/${name}` });

/** The names under which the schemas of a model stand in the document. */
export const componentNames = (model: string) =>
  ({
    row: model,
    /** A row as it is answered. */
    answer: `${model}Answer`,
    /** Rows as a bulk answers them. */
    answers: `${model}Answers`,
    /** A page of a list. */
    page: `${model}Page`,
    create: `${model}Create`,
    /** New rows of a bulk. */
    createList: `${model}CreateList`,
    /** The stored fields that bodies set. */
    fields: `${model}Fields`,
    update: `${model}Update`,
    /** All that an update may hold, alone or beside an id. */
    changes: `${model}Changes`,
    /** An item of a bulk update. */
    item: `${model}UpdateItem`,
    /** What names a row in a relation. */
    link: `${model}Link`,
    /** What names a row that is taken out of a relation. */
    disconnect: `${model}Disconnect`,
    /** What an update does to a list of related rows, and to one that may be none. */
    links: `${model}Links`,
    linkOrNone: `${model}LinkOrNone`,
    /** What names a row that is deleted through a relation. */
    remove: `${model}Delete`,
    /** A row that is changed through a relation. */
    change: `${model}Change`,
  }) as const;
