import type { Model } from "@servicekit/prisma";
import { vi } from "vitest";
import type { EventReader } from "../../../../packages/service/test/event-reader.js";
import type { Values } from "./cases.js";
import { pathOf } from "./material.js";
import { keyOf } from "./rows.js";
import type { RunningCase } from "./start-case.js";

/** Changes that a superuser receives after all earlier ones. */
export interface StreamMarks {
  /** Waits until the changes that were made before are in the streams of all databases. */
  pass(): Promise<void>;
  /** The same with a mark in one stream, which is faster: all streams of a process read the log together. */
  passOnce(): Promise<void>;
  close(): void;
}

/** Above every owner of a drawn row: rules and filters treat all marks alike, so that only the first one has an effect. */
const firstOwner = 900_000;

/** @param names the models of the streams */
export async function openMarks(cases: readonly RunningCase[], names: readonly string[]): Promise<StreamMarks> {
  const marked = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const model = cases[0]?.models.get(name) as Model;
      const readers = await Promise.all(cases.map((running) => running.openStream("root", `${pathOf(model)}/events`)));
      return { model, readers };
    }),
  );
  let ownerId = firstOwner;
  const passOne = async (model: Model, readers: readonly EventReader[]): Promise<boolean> => {
    const key = await findCommonKey(cases, model);
    if (key === undefined) return false;
    const values = { ownerId: ownerId++ };
    await Promise.all(cases.map((running) => running.write({ model: model.name, action: "update", key, values })));
    const hasArrived = ({ events }: EventReader) => events.some(({ data }) => data?.ownerId === values.ownerId);
    await vi.waitUntil(() => readers.every(hasArrived), { timeout: 60_000, interval: 5 });
    return true;
  };
  return {
    pass: async () => void (await Promise.all(marked.map(({ model, readers }) => passOne(model, readers)))),
    passOnce: async () => {
      for (const { model, readers } of marked) if (await passOne(model, readers)) return;
    },
    close: () => {
      for (const reader of marked.flatMap(({ readers }) => readers)) reader.close();
    },
  };
}

/** The key of a row that a superuser lists in all databases; `undefined` if there is none. */
async function findCommonKey(cases: readonly RunningCase[], model: Model): Promise<Values | undefined> {
  const target = `${pathOf(model)}?limit=100&isOpen=true`;
  const replies = await Promise.all(cases.map((running) => running.send({ caller: "root", method: "GET", target })));
  const [keys = [], ...others] = replies.map(({ body }) =>
    (body.data as readonly Values[]).map((row) => JSON.stringify(keyOf(model, row))),
  );
  const common = keys.find((key) => others.every((list) => list.includes(key)));
  return common === undefined ? undefined : JSON.parse(common);
}
