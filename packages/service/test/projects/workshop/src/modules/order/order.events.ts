import type { CreatedEvent, DeletedEvent, JobContext, UpdatedEvent } from "../../../../../../src/index.js";
import type { Order, PrismaClient } from "../../../../../generated/workshop/client/client.js";

type Context = JobContext<PrismaClient>;

const note = ({ client }: Context, text: string) => client.note.create({ data: { text } });

export const onCreated = async ({ key, after }: CreatedEvent<Order>, context: Context): Promise<void> => {
  if (after.title === "fails once" && context.attempt === 1) throw new Error("first attempt");
  await note(context, `${key} created ${after.title} ${after.total} ${"secret" in after}`);
};

export const onUpdated = ({ key, before, after }: UpdatedEvent<Order>, context: Context): Promise<unknown> =>
  note(context, `${key} updated ${before.title} > ${after.title}`);

export const onDeleted = ({ key, before }: DeletedEvent<Order>, context: Context): Promise<unknown> =>
  note(context, `${key} deleted ${before.title}`);
