import type { FieldInfo } from "../model/model-info.js";
import { isPathLike, pathnameIn } from "../model/stored-file.js";
import { FilePreview } from "./file-preview.js";
import "./value.css";

const longest = 80;
const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** Images that start with these letters in base64. */
const images: readonly (readonly [string, string])[] = [
  ["iVBORw0K", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["Qk", "image/bmp"],
];

/** The data URL of an image; `undefined` for other bytes. */
export function pictureOf(base64: string): string | undefined {
  const type = images.find(([head]) => base64.startsWith(head))?.[1];
  return type === undefined ? undefined : `data:${type};base64,${base64}`;
}

/** A stored date, without redundant parts. */
export const formatDate = (text: string): string =>
  text.endsWith("T00:00:00.000Z")
    ? text.slice(0, 10)
    : text
        .replace("T", " ")
        .replace(/(:\d\d)\.000Z$/, "$1")
        .replace(/Z$/, "");

/** A value of a row as text, never as markup. */
export function Value({
  field,
  value,
  isWhole = false,
  isLinked = false,
}: {
  readonly field: Pick<FieldInfo, "kind" | "title">;
  readonly value: unknown;
  readonly isWhole?: boolean;
  /** Whether it is inside a link. */
  readonly isLinked?: boolean;
}) {
  if (value === undefined) return <span className="dim">—</span>;
  if (value === null) return <span className="null">null</span>;
  if (value instanceof File) return <span>{value.name}</span>;
  if (field.kind === "json") {
    const text = JSON.stringify(value, null, isWhole ? 2 : undefined) ?? "";
    const plain = isWhole ? <pre className="json">{text}</pre> : <code>{cut(text)}</code>;
    const path = pathnameIn(value);
    if (path === undefined) return plain;
    return (
      <FilePreview text={path} isLinked={isLinked}>
        {plain}
      </FilePreview>
    );
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return <span className="dim">none</span>;
    return (
      <span className="chips">
        {value.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values of a list may be equal.
          <Text key={at} text={String(each)} isLinked={isLinked} className="chip" />
        ))}
      </span>
    );
  }
  if (typeof value === "boolean") return <span className={value ? "yes" : "no"}>{value ? "yes" : "no"}</span>;
  const text = String(value);
  if (field.kind === "bytes") {
    const picture = pictureOf(text);
    if (picture !== undefined) return <img className="thumbnail" src={picture} alt={field.title} />;
    return <code>{Math.floor((text.length * 3) / 4)} bytes</code>;
  }
  if (field.kind === "enum") return <span className="chip">{text}</span>;
  if (field.kind === "datetime") return <time dateTime={text}>{formatDate(text)}</time>;
  if (field.kind !== "text") return <span className="number">{text}</span>;
  return <Text text={text} isLinked={isLinked} isWhole={isWhole} />;
}

interface TextProps {
  readonly text: string;
  readonly isLinked: boolean;
  readonly isWhole?: boolean;
  readonly className?: string;
}

/** A text, or the file whose path it is. */
function Text({ text, isLinked, isWhole = false, className }: TextProps) {
  const plain = <span className={className}>{isWhole ? text : cut(text)}</span>;
  if (!isPathLike(text)) return plain;
  return (
    <FilePreview text={text} isLinked={isLinked}>
      {plain}
    </FilePreview>
  );
}
