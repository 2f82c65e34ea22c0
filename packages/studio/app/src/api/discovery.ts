import { useQuery } from "@tanstack/react-query";
import { type ModelInfo, toModels } from "../model/model-info.js";
import { pageData } from "./page-data.js";
import { type AvailableRoute, callRoute, type Row, readRoutes, session } from "./shop.js";

/** A resource of `GET /api/available-resources` (contract C46). */
export interface AvailableField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly list: boolean;
  readonly computed?: true;
  readonly queryable?: true;
  readonly relation?: string;
  readonly references?: Readonly<Record<string, string>>;
  readonly opposite?: string;
  readonly values?: readonly string[];
}

export interface AvailableResource {
  readonly name: string;
  readonly path: string;
  readonly key: readonly string[];
  readonly fields: readonly AvailableField[];
  readonly operations: readonly {
    readonly name: string;
    readonly method: string;
    readonly path: string;
    readonly allowed?: boolean;
    readonly access?: Access;
  }[];
}

/** The access of an operation, which only superusers get. */
export interface Access {
  readonly open: boolean;
  readonly roles: readonly string[];
  readonly rows: boolean;
}

const forAWhile = { staleTime: 60_000 } as const;

/** The signed-in user; null without authentication. */
export const useVisitor = () =>
  useQuery<Row | null>({
    queryKey: ["visitor"],
    queryFn: () => (pageData.signIn === null ? null : session.me()),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Every model on which the caller may perform any operation. */
export const useModels = () =>
  useQuery<readonly ModelInfo[]>({
    queryKey: ["models"],
    queryFn: async () => {
      const { data } = (await callRoute("GET /api/available-resources")) as { data: readonly AvailableResource[] };
      return toModels(data);
    },
    ...forAWhile,
  });

/** The model with a name; `undefined` until the models are loaded, and for one that is not visible to the caller. */
export function useModel(name: string | undefined): ModelInfo | undefined {
  return useModels().data?.find((model) => model.name === name);
}

export const useRoutes = () =>
  useQuery<readonly AvailableRoute[]>({
    queryKey: ["routes"],
    queryFn: readRoutes,
    ...forAWhile,
  });

/** Whether such a route exists and the caller may use it. */
export function useMayCall(method: string, path: string): boolean {
  return (
    useRoutes().data?.some((route) => route.method === method && route.path === path && route.allowed !== false) ===
    true
  );
}
