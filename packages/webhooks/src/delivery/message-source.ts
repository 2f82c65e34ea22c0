import { type EventMessage, messageOf, type RecordedChange } from "./events.js";

/** Makes the messages about changes when they are delivered. */
export interface MessageSource {
  /** @returns `undefined` if the log does not contain the change any more */
  find(changeId: bigint): Promise<EventMessage | undefined>;
}

/** The maximum length of the messages that are stored for further endpoints, in characters. */
const maxLength = 16 * 1024 * 1024;

/**
 * Creates a source whose endpoints share messages: the attempts of one change often run at the same time.
 *
 * @param find reads a change of the log
 */
export function makeMessageSource(find: (id: bigint) => Promise<RecordedChange | undefined>): MessageSource {
  const recent = new Map<bigint, { readonly message: Promise<EventMessage | undefined>; length: number }>();
  let total = 0;
  const forget = (id: bigint): void => {
    total -= recent.get(id)?.length ?? 0;
    recent.delete(id);
  };
  return {
    find(id) {
      const stored = recent.get(id);
      if (stored !== undefined) return stored.message;
      const message = find(id).then((change) => (change === undefined ? undefined : messageOf(change)));
      const entry = { message, length: 0 };
      recent.set(id, entry);
      message.then(
        (made) => {
          if (recent.get(id) !== entry) return;
          entry.length = made?.body.length ?? 0;
          total += entry.length;
          for (const first of recent.keys()) {
            if (total <= maxLength && recent.size <= maxMessages) break;
            forget(first);
          }
        },
        () => forget(id),
      );
      return message;
    },
  };
}

const maxMessages = 1_000;
