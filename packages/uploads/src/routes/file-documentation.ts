import type { DocumentedError, DocumentObject, RouteDocumentation } from "@servicekit/router";
import { type FileCategory, fileCategories } from "../files/file-category.js";
import type { UploadSettings } from "../settings.js";

const text = { type: "string" } as const;

const components: Readonly<Record<string, DocumentObject>> = {
  UploadedFile: {
    type: "object",
    properties: {
      name: { ...text, description: "The name that the file is stored under." },
      originalName: { ...text, description: "The name that the client gave it, cleaned." },
      category: { ...text, enum: [...fileCategories] },
      mimeType: text,
      size: { type: "integer", minimum: 0, description: "Bytes." },
      pathname: { ...text, description: "The path that serves the file." },
      url: { ...text, description: "The address that serves the file." },
    },
    required: ["name", "originalName", "category", "mimeType", "size", "pathname", "url"],
    additionalProperties: false,
  },
};

const file = { $ref: "#/components/schemas/UploadedFile" };
const parameter = (name: string, schema: DocumentObject, description: string): DocumentObject => ({
  name,
  in: "path",
  required: true,
  description,
  schema,
});
const fileType = parameter("fileType", text, `A category of files: ${fileCategories.join(", ")}.`);
const fileName = parameter("fileName", text, "The name that the file is stored under.");
const absent: DocumentedError = { status: 404, code: "FileNotFound", description: "There is no such file." };
const tags = ["Files"];

/** Of any media type, so that a client may accept nothing but images, or whatever else the file is. */
export const foundFile = {
  description: "The file.",
  content: { "*/*": { schema: { type: "string", format: "binary" } } },
};

/** What the API documentation says of serving a file. */
export function documentFindFile(): RouteDocumentation {
  return {
    summary: "Serves an uploaded file",
    description: "In full, or the part that `Range` asks for.",
    tags,
    parameters: [
      fileType,
      fileName,
      { name: "Range", in: "header", description: "A part of the file.", schema: text },
      { name: "If-None-Match", in: "header", description: "The entity tag that is known already.", schema: text },
    ],
    responses: {
      200: foundFile,
      206: { ...foundFile, description: "The part asked for." },
      304: { description: "The file has not changed." },
    },
    errors: [
      absent,
      { status: 412, code: "PreconditionFailed", description: "The file is not the one of If-Match." },
      { status: 416, code: "RangeNotSatisfiable", description: "The file does not have this range." },
    ],
  };
}

/** What the API documentation says of an upload, with the limits of each category. */
export function documentUploadFile({ restrictions, image, imageQuery }: UploadSettings): RouteDocumentation {
  const limits = fileCategories.map((category) => {
    const { maxCount, maxSize } = restrictions[category];
    return `- \`${category}\`: at most ${maxCount} files of ${maxSize} bytes`;
  });
  const files = { type: "array", items: { type: "string", format: "binary" } };
  const fields = Object.fromEntries([...fileCategories, "file"].map((name) => [name, files]));
  return {
    summary: "Uploads files",
    description: ["The files come in the field named after the category, or in `file`.", "", ...limits].join("\n"),
    tags,
    parameters: [
      { ...fileType, schema: { ...text, enum: [...fileCategories] satisfies FileCategory[] } },
      ...(imageQuery === undefined ? [] : imageParameters(imageQuery, image?.format)),
    ],
    requestBody: {
      required: true,
      content: { "multipart/form-data": { schema: { type: "object", properties: fields } } },
    },
    responses: {
      201: {
        description: "The stored file, or a list when several came.",
        headers: { Location: { description: "Where the file is served, when one came.", schema: text } },
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: { data: { oneOf: [file, { type: "array", items: file }] } },
              required: ["data"],
            },
          },
        },
      },
    },
    errors: uploadErrors,
    components,
  };
}

/** What a client may say of how its images are changed. */
function imageParameters(
  { maxWidth, maxHeight, formats }: NonNullable<UploadSettings["imageQuery"]>,
  format: string | undefined,
): DocumentObject[] {
  const number = (maximum: number) => ({ type: "integer", minimum: 1, maximum });
  const query = (name: string, schema: DocumentObject, description: string): DocumentObject => ({
    name,
    in: "query",
    description,
    schema,
  });
  return [
    query("width", number(maxWidth), "Makes images that are wider so narrow."),
    query("height", number(maxHeight), "Makes images that are higher so low."),
    query("fit", { ...text, enum: ["cover", "contain", "fill", "inside", "outside"] }, "How an image fits in."),
    query(
      "format",
      { ...text, enum: [...formats], ...(format === undefined ? {} : { default: format }) },
      "The format that images are stored in.",
    ),
    query("quality", number(100), "The quality of the format."),
  ];
}

/** What can be wrong with any form that brings files, and with storing them. */
export const formErrors: readonly DocumentedError[] = [
  { status: 400, code: "TooManyFiles", description: "There are more files than may be sent at once." },
  { status: 400, code: "UnexpectedFile", description: "A file came in a field that takes none." },
  { status: 400, code: "MalformedForm", description: "The form is malformed." },
  { status: 400, code: "InvalidFieldName", description: "A field has a name that cannot be used." },
  { status: 413, code: "FileTooLarge", description: "A file is too large." },
  { status: 413, code: "FormTooLarge", description: "The form is too large." },
  { status: 415, code: "UnsupportedMediaType", description: "The body is in a format that this route does not take." },
  { status: 415, code: "UnsupportedFileType", description: "Files of this kind are not taken." },
  { status: 415, code: "FileContentMismatch", description: "The content of a file is not what its name says." },
  { status: 503, code: "StorageUnavailable", description: "The storage cannot be reached." },
  { status: 507, code: "InsufficientStorage", description: "There is no room to store the file." },
];

/** Where images are changed. */
export const imageErrors: readonly DocumentedError[] = [
  { status: 415, code: "UnreadableImage", description: "An image cannot be read, or it has too many pixels." },
  { status: 503, code: "ConversionsBusy", description: "Too many images wait to be changed." },
];

const uploadErrors: readonly DocumentedError[] = [
  { status: 400, code: "NoFile", description: "No file was sent." },
  { status: 400, code: "InvalidImageOptions", description: "The image cannot be changed in this way." },
  { status: 404, code: "UnknownCategory", description: "There is no such category." },
  ...formErrors,
  ...imageErrors,
];

/** What the API documentation says of deleting a file. */
export function documentDeleteFile(): RouteDocumentation {
  return {
    summary: "Deletes an uploaded file",
    description: "What names the file elsewhere stays as it is.",
    tags,
    parameters: [fileType, fileName],
    responses: { 204: { description: "The file is gone." } },
    errors: [absent],
  };
}
