// Used only by other packages of this repository. Unstable: it changes without a major version.

export { fieldCode } from "./errors/field-code.js";
export { maxErrors } from "./errors/http-error.js";
export { type IssueList, makeIssueList } from "./errors/issue-list.js";
export { joinOr } from "./errors/join-or.js";
export { namesOf } from "./errors/names-of.js";
export { nearestWord } from "./errors/nearest-word.js";
export { isInstalled, missingPackages, type OptionalPackages, whenMissing } from "./errors/optional-package.js";
export { problemMediaType } from "./errors/problem-body.js";
export { problemType } from "./errors/problem-type.js";
export { makeStartupIssue } from "./errors/start-error.js";
export { statusPhrase } from "./errors/status-phrase.js";
export { longestTimer, startTimeLimit, withTimeLimit } from "./errors/time-limit.js";
export { withErrors } from "./errors/with-errors.js";
export { type FairQueue, makeFairQueue, type QueueLoad } from "./fair-queue/fair-queue.js";
export { findForbiddenKey } from "./field-path/find-forbidden-key.js";
export { fromJsonPointer, toJsonPointer } from "./field-path/json-pointer.js";
export { PathError } from "./field-path/path-error.js";
export { isObject, isPlainObject } from "./field-path/plain-object.js";
export { type Nested, setAtPath } from "./field-path/set-at-path.js";
export { sortedJson } from "./field-path/sorted-json.js";
export { checkSegment, type FieldPath, splitFieldPath } from "./field-path/split-field-path.js";
export { escapeHtml } from "./html/escape-html.js";
export { type ConnectionOptions, connectionOptions } from "./mysql-url/connection-options.js";
export { isMysqlUrl } from "./mysql-url/is-mysql-url.js";
export { inSlices } from "./slices/in-slices.js";
export { makePause } from "./slices/make-pause.js";
