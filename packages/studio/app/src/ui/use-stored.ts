import { useState } from "react";

const prefix = "servicekit.studio.";

/** A setting of the visitor, stored in this browser. */
export function useStored<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    try {
      const stored = localStorage.getItem(prefix + name);
      return stored === null ? initial : (JSON.parse(stored) as Value);
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
        // It applies to this visit only.
      }
    },
  ];
}
