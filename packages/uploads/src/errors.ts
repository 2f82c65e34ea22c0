import { defineErrors } from "@servicekit/core";

/** The errors of uploads (contract C34). */
export const uploadErrors = defineErrors({
  MalformedForm: { status: 400, message: "The form is malformed.", place: { in: "body", path: "" } },
  InvalidFieldName: {
    status: 400,
    message: "A field of the form has a name that cannot be used.",
    place: { in: "body", path: "" },
  },
  UnexpectedFile: { status: 400, message: "A file came in a field that takes none.", place: { in: "files", path: "" } },
  TooManyFiles: {
    status: 400,
    message: "There are more files than may be sent at once.",
    place: { in: "files", path: "" },
  },
  NoFile: { status: 400, message: "No file was sent.", place: { in: "files", path: "" } },
  UploadAborted: { status: 400, message: "The upload was aborted.", place: { in: "body", path: "" } },
  InvalidImageOptions: {
    status: 400,
    message: "The image cannot be changed in this way.",
    place: { in: "query", path: "" },
  },
  FileNotFound: { status: 404, message: "There is no such file.", place: { in: "params", path: "" } },
  UnknownCategory: { status: 404, message: "There is no such category of files.", place: { in: "params", path: "" } },
  FileTooLarge: { status: 413, message: "The file is too large.", place: { in: "files", path: "" } },
  FormTooLarge: { status: 413, message: "The form is too large.", place: { in: "body", path: "" } },
  UnsupportedFileType: { status: 415, message: "Files of this kind are not taken.", place: { in: "files", path: "" } },
  FileContentMismatch: {
    status: 415,
    message: "The content of the file is not what its name says.",
    place: { in: "files", path: "" },
  },
  UnreadableImage: { status: 415, message: "The image cannot be read.", place: { in: "files", path: "" } },
  RangeNotSatisfiable: {
    status: 416,
    message: "The file does not have this range.",
    place: { in: "headers", path: "/range" },
  },
  ConversionsBusy: { status: 503, message: "Too many images wait to be changed." },
  StorageUnavailable: { status: 503, message: "The storage cannot be reached." },
  InsufficientStorage: { status: 507, message: "There is no room to store the file." },
});
