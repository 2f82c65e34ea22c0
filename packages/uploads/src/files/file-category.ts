/** The file categories (contract C33). */
export const fileCategories = ["images", "videos", "documents", "files"] as const;

/** `images`, `videos`, `documents`, or `files` for anything. */
export type FileCategory = (typeof fileCategories)[number];

/** The extensions of each category by default; `files` takes any. */
export const categoryExtensions: Readonly<Record<Exclude<FileCategory, "files">, readonly string[]>> = {
  images: "jpg jpeg png gif webp avif svg bmp tif tiff heic heif ico".split(" "),
  videos: "mp4 m4v mov webm mkv avi mpg mpeg ogv 3gp wmv flv".split(" "),
  documents: "pdf doc docx xls xlsx ppt pptx odt ods odp rtf txt md csv tsv json xml epub".split(" "),
};

/** Whether a string is a category. */
export function isFileCategory(text: unknown): text is FileCategory {
  return (fileCategories as readonly unknown[]).includes(text);
}

/** The category of an extension (without its dot). */
export function categoryOfExtension(extension: string): FileCategory {
  return (
    (["images", "videos", "documents"] as const).find((name) => categoryExtensions[name].includes(extension)) ?? "files"
  );
}
