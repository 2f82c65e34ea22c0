/** A change of the change log, as far as messages contain it. */
export interface RecordedChange {
  readonly id: bigint;
  readonly time: Date;
  /** The id of the database transaction that made the change. */
  readonly transaction: bigint;
  readonly model: string;
  /** The key of the row, as in the path of the API. */
  readonly key: string;
  readonly operation: "create" | "update" | "delete";
  /** The visible fields before the change. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The visible fields after the change. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

const verbs = { create: "created", update: "updated", delete: "deleted" } as const;

/** Returns the name of the event of an operation: `orderItem.created` for the model `OrderItem`. */
export const eventName = (model: string, operation: keyof typeof verbs): string =>
  `${model.slice(0, 1).toLowerCase()}${model.slice(1)}.${verbs[operation]}`;

/** Returns the names of all events of these models. */
export const eventNames = (models: Iterable<string>): readonly string[] =>
  [...models].flatMap((model) => (["create", "update", "delete"] as const).map((name) => eventName(model, name)));

/** A message about an event. */
export interface EventMessage {
  /**
   * The same for all endpoints and attempts. It contains the id, the transaction and the time of the change: ids alone repeat after a
   * restore of the database, and a receiver would ignore new events.
   */
  readonly event: string;
  readonly type: string;
  /** The JSON of the request. */
  readonly body: string;
}

/** Returns the message about a change: the row after it, or before it if it was deleted. */
export function messageOf(change: RecordedChange): EventMessage {
  const type = eventName(change.model, change.operation);
  const data = change.after ?? change.before;
  const time = new Date(change.time);
  return {
    ...{ event: `evt_${change.id}_${change.transaction}_${time.getTime()}`, type },
    body: JSON.stringify({ type, timestamp: time.toISOString(), data }),
  };
}
