import { defineErrors } from "@servicekit/errors";

/** The errors of uploads (contract C34). */
export const uploadErrors = defineErrors({
  MalformedForm: { status: 400, message: "The form is malformed." },
  InvalidFieldName: { status: 400, message: "A field of the form has a name that cannot be used." },
  UnexpectedFile: { status: 400, message: "A file came in a field that takes none." },
  TooManyFiles: { status: 400, message: "There are more files than may be sent at once." },
  NoFile: { status: 400, message: "No file was sent." },
  UploadAborted: { status: 400, message: "The upload was aborted." },
  InvalidImageOptions: { status: 400, message: "The image cannot be changed in this way." },
  FileNotFound: { status: 404, message: "There is no such file." },
  UnknownCategory: { status: 404, message: "There is no such category of files." },
  FileTooLarge: { status: 413, message: "The file is too large." },
  FormTooLarge: { status: 413, message: "The form is too large." },
  UnsupportedFileType: { status: 415, message: "Files of this kind are not taken." },
  FileContentMismatch: { status: 415, message: "The content of the file is not what its name says." },
  UnreadableImage: { status: 415, message: "The image cannot be read." },
  RangeNotSatisfiable: { status: 416, message: "The file does not have this range." },
  ConversionsBusy: { status: 503, message: "Too many images wait to be changed." },
  StorageUnavailable: { status: 503, message: "The storage cannot be reached." },
  InsufficientStorage: { status: 507, message: "There is no room to store the file." },
});
