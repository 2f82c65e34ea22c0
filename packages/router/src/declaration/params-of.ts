type NameChar =
  | "a"
  | "b"
  | "c"
  | "d"
  | "e"
  | "f"
  | "g"
  | "h"
  | "i"
  | "j"
  | "k"
  | "l"
  | "m"
  | "n"
  | "o"
  | "p"
  | "q"
  | "r"
  | "s"
  | "t"
  | "u"
  | "v"
  | "w"
  | "x"
  | "y"
  | "z"
  | "0"
  | "1"
  | "2"
  | "3"
  | "4"
  | "5"
  | "6"
  | "7"
  | "8"
  | "9"
  | "_"
  | "$";

/** The name at the start of a text: everything up to the first character that names cannot contain. */
type NameAt<Text extends string, Name extends string = ""> = Text extends `${infer Char}${infer Rest}`
  ? Lowercase<Char> extends NameChar
    ? NameAt<Rest, `${Name}${Char}`>
    : Name
  : Name;

type ParamsIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? { [Name in NameAt<Rest>]: string } & ParamsIn<Rest>
  : unknown;

type WildcardsIn<Path extends string> = Path extends `${string}*${infer Rest}`
  ? { [Name in NameAt<Rest>]: string[] } & WildcardsIn<Rest>
  : unknown;

type Outside<Path extends string> = Path extends `${infer Head}{${string}}${infer Tail}`
  ? `${Head}${Outside<Tail>}`
  : Path;
type Inside<Path extends string> = Path extends `${string}{${infer Group}}${infer Tail}`
  ? `${Group}${Inside<Tail>}`
  : "";

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/**
 * The parameters of an Express 5 path: `:id` a string, `*rest` a list of strings, both optional inside `{…}`. A path
 * that is not known at compile time gives `Record<string, string>`.
 */
export type ParamsOf<Path extends string> = string extends Path
  ? Record<string, string>
  : Path extends `${string}{${string}`
    ? Flat<
        ParamsIn<Outside<Path>> &
          WildcardsIn<Outside<Path>> &
          Partial<ParamsIn<Inside<Path>> & WildcardsIn<Inside<Path>>>
      >
    : Flat<ParamsIn<Path> & WildcardsIn<Path>>;
