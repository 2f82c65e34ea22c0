import type { Model, Models } from "../models/model.js";
import type { PrismaHandle, PrismaMethod } from "./prisma-client-like.js";

const methods: readonly PrismaMethod[] = [
  ...(["findMany", "findFirst", "findUnique", "count", "aggregate", "groupBy"] as const),
  ...(["create", "createManyAndReturn", "update", "updateMany", "updateManyAndReturn"] as const),
  ...(["delete", "deleteMany"] as const),
];

/** Calls a method of a model's delegate. */
export type CallMethod = (
  client: PrismaHandle,
  model: Model,
  method: PrismaMethod,
  args: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

/** The client in a handle. */
const plain = Symbol("plain");

type Handle = PrismaHandle & { readonly [plain]: PrismaHandle };

/** Turns clients, also those of transactions, into clients whose delegates call their methods by `call`. */
export function makeHandles(models: Models, call: CallMethod): (client: PrismaHandle) => PrismaHandle {
  // A transaction creates the delegates that it uses.
  const delegates = [...models.values()].map((model) => [
    model.delegate,
    {
      get(this: Handle) {
        return Object.fromEntries(
          methods.map((method) => [
            method,
            (args: Readonly<Record<string, unknown>>) => call(this[plain], model, method, args),
          ]),
        );
      },
    },
  ]);
  const prototype = Object.create(null, Object.fromEntries(delegates)) as object;
  return (client) => {
    const raw = (["$queryRawUnsafe", "$executeRawUnsafe"] as const).map((name) => {
      const run = Reflect.get(client, name) as (...given: unknown[]) => unknown;
      return [name, run.bind(client)] as const;
    });
    return Object.assign(Object.create(prototype), { [plain]: client, ...Object.fromEntries(raw) }) as Handle;
  };
}
