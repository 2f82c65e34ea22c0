import { defineErrors } from "@servicekit/core";
import { formErrors } from "@servicekit/router/internal";

/** The errors of uploads (contract C34): those of forms, of files and of the storage. */
export const uploadErrors = {
  ...formErrors,
  ...defineErrors({
    TooManyFiles: {
      status: 400,
      message: "There are too many files.",
      place: { in: "files", path: "" },
    },
    NoFile: { status: 400, message: "No file was sent.", place: { in: "files", path: "" } },
    UploadAborted: { status: 400, message: "The upload was aborted.", place: { in: "body", path: "" } },
    InvalidImageOptions: {
      status: 400,
      message: "The image options are invalid.",
      place: { in: "query", path: "" },
    },
    FileNotFound: { status: 404, message: "The file does not exist.", place: { in: "params", path: "" } },
    UnknownCategory: { status: 404, message: "The file category does not exist.", place: { in: "params", path: "" } },
    UnsupportedFileType: {
      status: 415,
      message: "Files of this type are not accepted.",
      place: { in: "files", path: "" },
    },
    FileContentMismatch: {
      status: 415,
      message: "The content of the file does not match its name.",
      place: { in: "files", path: "" },
    },
    UnreadableImage: { status: 415, message: "The image cannot be read.", place: { in: "files", path: "" } },
    RangeNotSatisfiable: {
      status: 416,
      message: "The file does not have this range.",
      place: { in: "headers", path: "/range" },
    },
    ConversionsBusy: { status: 503, message: "Too many images are queued for conversion." },
    StorageUnavailable: { status: 503, message: "The storage is unavailable." },
    InsufficientStorage: { status: 507, message: "There is not enough space to store the file." },
  }),
};
