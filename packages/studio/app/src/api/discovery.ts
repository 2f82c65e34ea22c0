import { useQuery } from "@tanstack/react-query";
import { type ModelInfo, toModels } from "../model/model-info.js";
import { facts } from "./facts.js";
import { type AvailableRoute, callRoute, type Row, readRoutes, session } from "./shop.js";

/** As `GET /api/available-resources` tells it (contract C46). */
export interface AvailableField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly list: boolean;
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

/** Who may use an operation, as a superuser is told it of the configuration. */
export interface Access {
  readonly open: boolean;
  readonly roles: readonly string[];
  readonly rows: boolean;
}

const forAWhile = { staleTime: 60_000 } as const;

/** Who is signed in; null where nobody is asked to. */
export const useVisitor = () =>
  useQuery<Row | null>({
    queryKey: ["visitor"],
    queryFn: () => (facts.signIn === null ? null : session.me()),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Every model that the caller may do anything with. */
export const useModels = () =>
  useQuery<readonly ModelInfo[]>({
    queryKey: ["models"],
    queryFn: async () => {
      const { data } = (await callRoute("GET /api/available-resources")) as { data: readonly AvailableResource[] };
      return toModels(data);
    },
    ...forAWhile,
  });

/** The model of a name; `undefined` until the models are known, and for one that is not there for the caller. */
export function useModel(name: string | undefined): ModelInfo | undefined {
  return useModels().data?.find((model) => model.name === name);
}

export const useRoutes = () =>
  useQuery<readonly AvailableRoute[]>({
    queryKey: ["routes"],
    queryFn: readRoutes,
    ...forAWhile,
  });

/** Whether there is such a route, and the caller may use it. */
export function useMayCall(method: string, path: string): boolean {
  return (
    useRoutes().data?.some((route) => route.method === method && route.path === path && route.allowed !== false) ===
    true
  );
}
