import { isApiError } from "@servicekit/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Page, type Question, rows } from "../api/shop.js";
import type { ModelInfo } from "../model/model-info.js";

/** Where a page begins: its number, and the cursor that the page before has given. */
export interface PagePlace {
  readonly number: number;
  readonly cursor: string;
}

export interface ShownPage extends Page {
  /** Where the next page begins; `undefined` after the last. */
  readonly next: PagePlace | undefined;
}

/** One page by cursor, so that rows which come and go move nothing; by number where an order knows no cursor. */
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
          if (!isOrder || question.sort === undefined) throw error;
        }
      }
      const page = await rows.list(model, { ...question, limit, page: number, count: false }, signal);
      return { ...page, next: page.data.length < limit ? undefined : { number: number + 1, cursor: "" } };
    },
  });
}

/** How many rows meet a question: asked for beside the rows, for a cursor brings no total. */
export function useCount(model: ModelInfo, { where, search }: Question) {
  return useQuery<number | undefined>({
    queryKey: ["rows", model.name, "count", where, search],
    queryFn: async ({ signal }) =>
      (await rows.list(model, { ...countQuestion(model), ...said({ where, search }) }, signal)).meta.total,
  });
}

/** The smallest list that tells its total. */
const countQuestion = (model: ModelInfo): Question => ({
  limit: 1,
  ...(model.key.length > 0 ? { fields: model.key } : {}),
});

const said = ({
  where,
  search,
}: {
  readonly where: Question["where"] | undefined;
  readonly search: string | undefined;
}): Question => ({
  ...(where === undefined ? {} : { where }),
  ...(search === undefined ? {} : { search }),
});
