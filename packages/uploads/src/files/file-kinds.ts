/** The properties of files with one extension. */
export interface FileKind {
  readonly mediaType: string;
  /** How the type is detected: by the first bytes, as text, or not at all. */
  readonly content: readonly string[] | "text" | "svg" | "any";
  /** Whether a browser may display it in the origin of the service; everything else is a download (contract C34). */
  readonly isInline: boolean;
}

const isoMedia = ["mp4", "m4v", "mov", "3gp", "3g2", "f4v"];
const matroska = ["webm", "mkv"];
const ogg = ["ogv", "ogm", "ogx", "ogg", "oga"];

/** Extension, media type, and the types that the first bytes may have. */
const shown: readonly (readonly [string, string, FileKind["content"]])[] = [
  ["jpg", "image/jpeg", ["jpg"]],
  ["jpeg", "image/jpeg", ["jpg"]],
  ["png", "image/png", ["png", "apng"]],
  ["gif", "image/gif", ["gif"]],
  ["webp", "image/webp", ["webp"]],
  // The first brand of an AVIF file may be the general one of HEIF.
  ["avif", "image/avif", ["avif", "heic"]],
  ["bmp", "image/bmp", ["bmp"]],
  ["tif", "image/tiff", ["tif"]],
  ["tiff", "image/tiff", ["tif"]],
  ["heic", "image/heic", ["heic"]],
  ["heif", "image/heif", ["heic"]],
  ["ico", "image/x-icon", ["ico"]],
  ["mp4", "video/mp4", isoMedia],
  ["m4v", "video/x-m4v", isoMedia],
  ["mov", "video/quicktime", isoMedia],
  ["3gp", "video/3gpp", isoMedia],
  ["webm", "video/webm", matroska],
  ["mkv", "video/x-matroska", matroska],
  ["avi", "video/x-msvideo", ["avi"]],
  ["mpg", "video/mpeg", ["mpg"]],
  ["mpeg", "video/mpeg", ["mpg"]],
  ["ogv", "video/ogg", ogg],
  ["wmv", "video/x-ms-wmv", ["asf"]],
  ["flv", "video/x-flv", ["flv"]],
  ["mp3", "audio/mpeg", "any"],
  ["wav", "audio/wav", ["wav"]],
  ["oga", "audio/ogg", [...ogg, "opus", "spx"]],
  ["ogg", "audio/ogg", [...ogg, "opus", "spx"]],
  ["flac", "audio/flac", ["flac", "ogx", "oga"]],
  ["m4a", "audio/mp4", ["m4a", ...isoMedia]],
  ["pdf", "application/pdf", ["pdf"]],
  ["txt", "text/plain", "text"],
  ["csv", "text/csv", "text"],
  ["tsv", "text/tab-separated-values", "text"],
  ["md", "text/markdown", "text"],
];

const downloaded: readonly (readonly [string, string, FileKind["content"]])[] = [
  ["svg", "image/svg+xml", "svg"],
  ["xml", "application/xml", "text"],
  ["json", "application/json", "text"],
  ["html", "text/html", "text"],
  ["htm", "text/html", "text"],
  ["css", "text/css", "text"],
  ["js", "text/javascript", "text"],
  ["mjs", "text/javascript", "text"],
  ["rtf", "application/rtf", ["rtf"]],
  ["doc", "application/msword", ["cfb"]],
  ["xls", "application/vnd.ms-excel", ["cfb"]],
  ["ppt", "application/vnd.ms-powerpoint", ["cfb"]],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ["docx", "zip"]],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ["xlsx", "zip"]],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", ["pptx", "zip"]],
  ["odt", "application/vnd.oasis.opendocument.text", ["odt", "zip"]],
  ["ods", "application/vnd.oasis.opendocument.spreadsheet", ["ods", "zip"]],
  ["odp", "application/vnd.oasis.opendocument.presentation", ["odp", "zip"]],
  ["epub", "application/epub+zip", ["epub", "zip"]],
  ["zip", "application/zip", "any"],
  ["gz", "application/gzip", "any"],
];

const kinds: ReadonlyMap<string, FileKind> = new Map<string, FileKind>([
  ...shown.map(([extension, mediaType, content]) => [extension, { mediaType, content, isInline: true }] as const),
  ...downloaded.map(([extension, mediaType, content]) => [extension, { mediaType, content, isInline: false }] as const),
]);

const unknown: FileKind = { mediaType: "application/octet-stream", content: "any", isInline: false };

/** The properties of files with an extension (without its dot); an unknown one is not trusted. */
export function kindOf(extension: string): FileKind {
  return kinds.get(extension) ?? unknown;
}
