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

/** The client in a handle, and in its delegates. */
const plain = Symbol("plain");

type Handle = PrismaHandle & { readonly [plain]: PrismaHandle };

const wrap = (prototype: object, client: PrismaHandle): Handle =>
  Object.assign(Object.create(prototype), { [plain]: client }) as Handle;

/** Turns clients, also those of transactions, into clients whose delegates call their methods by `call`. */
export function makeHandles(models: Models, call: CallMethod): (client: PrismaHandle) => PrismaHandle {
  const delegates = [...models.values()].map((model) => {
    const calls = methods.map((method) => {
      function run(this: Handle, args: Readonly<Record<string, unknown>>) {
        return call(this[plain], model, method, args);
      }
      return [method, run];
    });
    const delegate = Object.fromEntries(calls) as object;
    function get(this: Handle): Handle {
      return wrap(delegate, this[plain]);
    }
    return [model.delegate, { get }];
  });
  const prototype = Object.create(null, Object.fromEntries(delegates)) as object;
  return (client) => {
    const raw = (["$queryRawUnsafe", "$executeRawUnsafe"] as const).map((name) => {
      const run = Reflect.get(client, name) as (...given: unknown[]) => unknown;
      return [name, run.bind(client)] as const;
    });
    return Object.assign(wrap(prototype, client), Object.fromEntries(raw));
  };
}
