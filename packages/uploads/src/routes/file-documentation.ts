import type { DocumentedError, DocumentObject, RouteDocumentation } from "@servicekit/router";
import { type FileCategory, fileCategories } from "../files/file-category.js";
import type { UploadSettings } from "../settings.js";

const text = { type: "string" } as const;

const components: Readonly<Record<string, DocumentObject>> = {
  UploadedFile: {
    type: "object",
    properties: {
      name: { ...text, description: "The name under which the file is stored." },
      originalName: { ...text, description: "The name that the client sent, sanitized." },
      category: { ...text, enum: [...fileCategories] },
      mimeType: text,
      size: { type: "integer", minimum: 0, description: "Bytes." },
      pathname: { ...text, description: "The path of the file on this server." },
      url: { ...text, description: "The URL of the file." },
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
const fileName = parameter("fileName", text, "The name under which the file is stored.");
const absent: DocumentedError = { status: 404, code: "FileNotFound", description: "The file does not exist." };
const tags = ["Files"];

/** Any media type, so that a client may accept only images, or the type of the file. */
export const foundFile = {
  description: "The file.",
  content: { "*/*": { schema: { type: "string", format: "binary" } } },
};

/** The API documentation of a download. */
export function documentFindFile(): RouteDocumentation {
  return {
    summary: "Download an uploaded file",
    description: "Returns the complete file, or the range requested by `Range`.",
    tags,
    parameters: [
      fileType,
      fileName,
      { name: "Range", in: "header", description: "A part of the file.", schema: text },
      { name: "If-None-Match", in: "header", description: "The entity tag that the client has cached.", schema: text },
    ],
    responses: {
      200: foundFile,
      206: { ...foundFile, description: "The requested range." },
      304: { description: "The file has not changed." },
    },
    errors: [
      absent,
      { status: 412, code: "PreconditionFailed", description: "The file does not match If-Match." },
      { status: 416, code: "RangeNotSatisfiable", description: "The file does not have this range." },
    ],
  };
}

/** The API documentation of an upload, with the limits of each category. */
export function documentUploadFile({ restrictions, image, imageQuery }: UploadSettings): RouteDocumentation {
  const limits = fileCategories.map((category) => {
    const { maxCount, maxSize } = restrictions[category];
    return `- \`${category}\`: at most ${maxCount} files of ${maxSize} bytes`;
  });
  const files = { type: "array", items: { type: "string", format: "binary" } };
  const fields = Object.fromEntries([...fileCategories, "file"].map((name) => [name, files]));
  return {
    summary: "Upload files",
    description: ["Send the files in the field named after the category, or in `file`.", "", ...limits].join("\n"),
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
        description: "The stored file, or a list for several files.",
        headers: { Location: { description: "The URL of the file, for a single file.", schema: text } },
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

/** The image options of a client. */
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
    query("width", number(maxWidth), "Reduces wider images to this width."),
    query("height", number(maxHeight), "Reduces higher images to this height."),
    query(
      "fit",
      { ...text, enum: ["cover", "contain", "fill", "inside", "outside"] },
      "How an image is fitted to the size.",
    ),
    query(
      "format",
      { ...text, enum: [...formats], ...(format === undefined ? {} : { default: format }) },
      "The format in which images are stored.",
    ),
    query("quality", number(100), "The quality of the format."),
  ];
}

/** The errors of any form with files, and of storing them. */
export const formErrors: readonly DocumentedError[] = [
  { status: 400, code: "TooManyFiles", description: "There are too many files." },
  { status: 400, code: "UnexpectedFile", description: "A file was sent in a field that does not accept files." },
  { status: 400, code: "MalformedForm", description: "The form is malformed." },
  { status: 400, code: "InvalidFieldName", description: "A field has an invalid name." },
  { status: 413, code: "FileTooLarge", description: "A file is too large." },
  { status: 413, code: "FormTooLarge", description: "The form is too large." },
  {
    status: 415,
    code: "UnsupportedMediaType",
    description: "The media type of the body is not accepted by this route.",
  },
  { status: 415, code: "UnsupportedFileType", description: "Files of this type are not accepted." },
  { status: 415, code: "FileContentMismatch", description: "The content of a file does not match its name." },
  { status: 503, code: "StorageUnavailable", description: "The storage is unavailable." },
  { status: 507, code: "InsufficientStorage", description: "There is not enough space to store the file." },
];

/** If images are converted. */
export const imageErrors: readonly DocumentedError[] = [
  { status: 415, code: "UnreadableImage", description: "An image cannot be read, or it has too many pixels." },
  { status: 503, code: "ConversionsBusy", description: "Too many images are queued for conversion." },
];

const uploadErrors: readonly DocumentedError[] = [
  { status: 400, code: "NoFile", description: "No file was sent." },
  { status: 400, code: "InvalidImageOptions", description: "The image options are invalid." },
  { status: 404, code: "UnknownCategory", description: "The category does not exist." },
  ...formErrors,
  ...imageErrors,
];

/** The API documentation of a deletion. */
export function documentDeleteFile(): RouteDocumentation {
  return {
    summary: "Delete an uploaded file",
    description: "References to the file elsewhere are not changed.",
    tags,
    parameters: [fileType, fileName],
    responses: { 204: { description: "The file is deleted." } },
    errors: [absent],
  };
}
