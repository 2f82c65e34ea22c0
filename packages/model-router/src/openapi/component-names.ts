import type { DocumentObject } from "@servicekit/router";

/** A reference to a named schema. */
export const reference = (name: string): DocumentObject => ({ $ref: `#/components/schemas/${name}` });

/** The names of a model's schemas in the document. */
export const componentNames = (model: string) =>
  ({
    row: model,
    /** A row in a response. */
    response: `${model}Response`,
    /** The rows in a bulk response. */
    responses: `${model}ListResponse`,
    /** A page of a list. */
    page: `${model}Page`,
    /** A group of an aggregate, and a page of them. */
    aggregate: `${model}Aggregate`,
    aggregates: `${model}AggregatePage`,
    /** A recorded change, a page of them, and the state of a row in it. */
    history: `${model}HistoryEntry`,
    historyPage: `${model}HistoryPage`,
    state: `${model}State`,
    /** The response to a restored state. */
    restored: `${model}RestoredState`,
    /** The key of a row that is no longer in a list. */
    removed: `${model}Removed`,
    create: `${model}Create`,
    /** New rows of a bulk. */
    createList: `${model}CreateList`,
    /** The stored fields that bodies set. */
    fields: `${model}Fields`,
    update: `${model}Update`,
    /** The fields of an update, alone or next to an id. */
    changes: `${model}Changes`,
    /** An item of a bulk update. */
    item: `${model}UpdateItem`,
    /** The reference to a row in a relation. */
    link: `${model}Link`,
    /** The reference to a row that is disconnected from a relation. */
    disconnect: `${model}Disconnect`,
    /** The changes of a list of related rows, and of an optional one. */
    links: `${model}Links`,
    linkOrNone: `${model}LinkOrNone`,
    /** The reference to a row that is deleted through a relation. */
    remove: `${model}Delete`,
    /** A row that is updated through a relation. */
    change: `${model}Change`,
  }) as const;
