import { type EventMessage, messageOf, type RecordedChange } from "./events.js";

/** Makes the messages about changes when they are delivered. */
export interface MessageSource {
  /**
   * Finds the message about a change.
   *
   * @param isExpected whether this is the change, and not another one with the same id: the log may have assigned it again
   * @returns `undefined` if the log does not contain the change any more
   */
  find(changeId: bigint, isExpected: (change: RecordedChange) => boolean): Promise<EventMessage | undefined>;
}

/** The maximum length of the messages that are stored for further endpoints, in characters. */
const maxLength = 16 * 1024 * 1024;

/**
 * Creates a source whose endpoints share messages: the attempts of one change often run at the same time.
 *
 * @param find reads a change of the log
 */
export function makeMessageSource(find: (id: bigint) => Promise<RecordedChange | undefined>): MessageSource {
  const recent = new Map<bigint, StoredMessage>();
  let total = 0;
  const forget = (id: bigint): void => {
    total -= recent.get(id)?.length ?? 0;
    recent.delete(id);
  };
  const load = (id: bigint): StoredMessage => {
    const loading = find(id).then((change) => change && { change: withoutStates(change), message: messageOf(change) });
    const entry: StoredMessage = { loading, length: 0 };
    recent.set(id, entry);
    loading.then(
      (loaded) => {
        if (recent.get(id) !== entry) return;
        entry.length = loaded?.message.body.length ?? 0;
        total += entry.length;
        for (const first of recent.keys()) {
          if (total <= maxLength && recent.size <= maxMessages) break;
          forget(first);
        }
      },
      () => forget(id),
    );
    return entry;
  };
  return {
    async find(id, isExpected) {
      const stored = recent.get(id);
      const loaded = await (stored ?? load(id)).loading;
      if (loaded !== undefined && isExpected(loaded.change)) return loaded.message;
      if (stored === undefined) return undefined;
      if (recent.get(id) === stored) forget(id);
      const next = await (recent.get(id) ?? load(id)).loading;
      return next !== undefined && isExpected(next.change) ? next.message : undefined;
    },
  };
}

interface StoredMessage {
  readonly loading: Promise<{ readonly change: RecordedChange; readonly message: EventMessage } | undefined>;
  /** The length of the body; 0 until it is loaded. */
  length: number;
}

/** The body contains one of the states already. */
const withoutStates = (change: RecordedChange): RecordedChange => ({ ...change, before: null, after: null });

const maxMessages = 1_000;
