interface Turn<Id, Value> {
  readonly ids: Map<string, Id>;
  readonly loaded: Promise<ReadonlyMap<string, Value>>;
}

/**
 * Loads everything that is requested in one tick of the event loop with one query. It is sent after all requests that
 * arrived in the tick have been read, so no caller gets data from before its request; nothing is cached.
 *
 * @param load returns the values by the text of their id, without missing ones
 */
export function loadTogether<Id, Value>(
  load: (ids: readonly Id[]) => Promise<ReadonlyMap<string, Value>>,
): (id: Id) => Promise<Value | undefined> {
  let turn: Turn<Id, Value> | undefined;
  const begin = (): Turn<Id, Value> => {
    const ids = new Map<string, Id>();
    const loaded = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      turn = undefined;
      return load([...ids.values()]);
    });
    return { ids, loaded };
  };
  return async (id) => {
    turn ??= begin();
    const text = String(id);
    turn.ids.set(text, id);
    return (await turn.loaded).get(text);
  };
}
