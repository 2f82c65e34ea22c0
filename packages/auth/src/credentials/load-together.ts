interface Turn<Id, Value> {
  readonly ids: Map<string, Id>;
  readonly loaded: Promise<ReadonlyMap<string, Value>>;
}

/**
 * Loads what is asked for within one turn of the event loop at once. It is asked for when everything that has arrived in the
 * turn has asked, so nobody gets what was read before the request came; nothing is remembered.
 *
 * @param load gives the values by the text of their id; what is not there is left out
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
