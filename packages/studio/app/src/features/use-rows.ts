import { isApiError } from "@servicekit/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Page, type Question, type RowTotal, rows } from "../api/shop.js";
import type { ModelInfo } from "../model/model-info.js";

/** The start of a page: its number, and the cursor of the previous page. */
export interface PagePlace {
  readonly number: number;
  readonly cursor: string;
}

export interface ShownPage extends Page {
  /** The start of the next page; `undefined` after the last. */
  readonly next: PagePlace | undefined;
}

/** A page by cursor, so that changes do not move rows; by number if the sort order does not support a cursor. */
export function useRows(model: ModelInfo, question: Question, place: PagePlace, limit: number) {
  return useQuery<ShownPage>({
    queryKey: ["rows", model.name, question, place, limit],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { number, cursor } = place;
      if (number === 1 || cursor !== "") {
        try {
          const page = await rows.list(model, { ...question, limit, cursor }, signal);
          const { nextCursor } = page.meta;
          return { ...page, next: nextCursor ? { number: number + 1, cursor: nextCursor } : undefined };
        } catch (error) {
          const isOrder =
            isApiError(error) && error.status === 400 && error.errors.some(({ path }) => /cursor|sort/.test(path));
          // A search may have an order of its own.
          if (!isOrder || (question.sort === undefined && question.search === undefined)) throw error;
        }
      }
      const page = await rows.list(model, { ...question, limit, page: number, count: false }, signal);
      return { ...page, next: page.data.length < limit ? undefined : { number: number + 1, cursor: "" } };
    },
  });
}

/** The number of matching rows, requested separately, because a cursor has no total. */
export function useCount(model: ModelInfo, { where, search, deleted }: Question) {
  return useQuery<RowTotal>({
    queryKey: ["rows", model.name, "count", where, search, deleted],
    queryFn: async ({ signal }) =>
      (await rows.list(model, { ...countQuestion(model), ...filterOf({ where, search, deleted }) }, signal)).meta,
  });
}

/** The smallest list with a total. */
const countQuestion = (model: ModelInfo): Question => ({
  limit: 1,
  ...(model.key.length > 0 ? { fields: model.key } : {}),
});

const filterOf = ({
  where,
  search,
  deleted,
}: {
  readonly where: Question["where"] | undefined;
  readonly search: string | undefined;
  readonly deleted: Question["deleted"] | undefined;
}): Question => ({
  ...(where === undefined ? {} : { where }),
  ...(search === undefined ? {} : { search }),
  ...(deleted === undefined ? {} : { deleted }),
});
