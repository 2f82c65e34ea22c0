import type { DocumentedError, DocumentObject, RouteDocumentation } from "@servicekit/router";
import { type FileCategory, fileCategories } from "./file-category.js";
import type { UploadSettings } from "./settings.js";

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

/** What the API documentation says of serving a file. */
export function documentFindFile(): RouteDocumentation {
  return {
    summary: "Serves an uploaded file",
    tags,
    parameters: [
      fileType,
      fileName,
      { name: "Range", in: "header", description: "A part of the file.", schema: text },
      { name: "If-None-Match", in: "header", description: "The entity tag that is known already.", schema: text },
    ],
    responses: {
      200: { description: "The file.", content: { "*/*": { schema: { type: "string", format: "binary" } } } },
      206: { description: "The part asked for.", content: { "*/*": { schema: { type: "string", format: "binary" } } } },
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
export function documentUploadFile({ restrictions, image }: UploadSettings): RouteDocumentation {
  const limits = fileCategories.map((category) => {
    const { maxCount, maxSize } = restrictions[category];
    return `- \`${category}\`: at most ${maxCount} files of ${maxSize} bytes`;
  });
  const files = { type: "array", items: { type: "string", format: "binary" } };
  const fields = Object.fromEntries([...fileCategories, "file"].map((name) => [name, files]));
  const number = (maximum: number) => ({ type: "integer", minimum: 1, maximum });
  const query = (name: string, schema: DocumentObject, description: string): DocumentObject => ({
    name,
    in: "query",
    description,
    schema,
  });
  return {
    summary: "Uploads files",
    description: ["The files come in the field named after the category, or in `file`.", "", ...limits].join("\n"),
    tags,
    parameters: [
      { ...fileType, schema: { ...text, enum: [...fileCategories] satisfies FileCategory[] } },
      query("width", number(4096), "Resizes images to this width."),
      query("height", number(4096), "Resizes images to this height."),
      query("fit", { ...text, enum: ["cover", "contain", "fill", "inside", "outside"] }, "How an image fits in."),
      query(
        "format",
        { ...text, enum: ["jpeg", "png", "webp", "avif"], ...(image?.format ? { default: image.format } : {}) },
        "The format that images are stored in.",
      ),
      query("quality", number(100), "The quality of the format."),
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
    errors: uploadFaults,
    components,
  };
}

const uploadFaults: readonly DocumentedError[] = [
  { status: 400, code: "NoFile", description: "No file was sent." },
  { status: 400, code: "TooManyFiles", description: "There are more files than the category takes." },
  { status: 400, code: "UnexpectedFile", description: "A file came in another field." },
  { status: 400, code: "MalformedForm", description: "The form is malformed." },
  { status: 400, code: "InvalidFieldName", description: "A field has a name that cannot be used." },
  { status: 400, code: "InvalidImageOptions", description: "The image cannot be changed in this way." },
  { status: 404, code: "UnknownCategory", description: "There is no such category." },
  { status: 413, code: "FileTooLarge", description: "A file is larger than its category takes." },
  { status: 413, code: "FormTooLarge", description: "The form is too large." },
  { status: 415, code: "UnsupportedMediaType", description: "The body is no multipart form." },
  { status: 415, code: "UnsupportedFileType", description: "The category does not take files of this kind." },
  { status: 415, code: "FileContentMismatch", description: "The content is not what the name says." },
  { status: 415, code: "UnreadableImage", description: "The image cannot be read." },
  { status: 503, code: "StorageUnavailable", description: "The storage cannot be reached." },
  { status: 507, code: "InsufficientStorage", description: "There is no room to store the file." },
];

/** What the API documentation says of deleting a file. */
export function documentDeleteFile(): RouteDocumentation {
  return {
    summary: "Deletes an uploaded file",
    tags,
    parameters: [fileType, fileName],
    responses: { 204: { description: "The file is gone." } },
    errors: [absent],
  };
}
