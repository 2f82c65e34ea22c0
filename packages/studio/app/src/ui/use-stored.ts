import { useState } from "react";

const prefix = "servicekit.studio.";

/** A choice of the visitor that this browser keeps. */
export function useStored<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    try {
      const kept = localStorage.getItem(prefix + name);
      return kept === null ? initial : (JSON.parse(kept) as Value);
    } catch {
      return initial;
    }
  });
  return [
    value,
    (next) => {
      setValue(next);
      try {
        localStorage.setItem(prefix + name, JSON.stringify(next));
      } catch {
        // It holds for this visit alone.
      }
    },
  ];
}
