import { useState } from "react";
import type { ModelInfo } from "../model/model-info.js";

interface SearchBoxProps {
  readonly model: ModelInfo;
  readonly search: string | undefined;
  readonly onSearch: (words: string | undefined) => void;
}

/** Searches the rows of a model with Enter, and shows all rows again when it is emptied. */
export function SearchBox({ model, search, onSearch }: SearchBoxProps) {
  const [words, setWords] = useState(search ?? "");
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(words.trim());
        }}
      >
        <input
          type="search"
          aria-label={`Search in ${model.title}`}
          placeholder="Search"
          value={words}
          onChange={({ target }) => {
            setWords(target.value);
            if (target.value === "") onSearch(undefined);
          }}
        />
      </form>
    </search>
  );
}
