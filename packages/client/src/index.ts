export type { AggregatePage, AggregateQuery, AggregateRow, GroupKey, MeasureName } from "./api/aggregate.js";
export type { ApiShape, ResourceApi, RouteApi, RoutesShape } from "./api/api.js";
export type { ComputedOf, ComputedShape, WithComputed } from "./api/computed.js";
export type { DeletedRows, HasSoftDelete, PermanentOption } from "./api/deleted.js";
export type { EventRow, EventsQuery, ResourceEvent } from "./api/events.js";
export type { HistoryEntry, HistoryPage, HistoryQuery, RestoredMeta } from "./api/history.js";
export type { Condition, ListQuery, Selection, Shape, SortKey, Where } from "./api/query.js";
export type { FieldName, Fields, Include, Row } from "./api/response.js";
export { type Client, makeClient, type ServiceClient } from "./make-client.js";
export { ApiError, type ApiIssue, isApiError } from "./requests/api-error.js";
export type { AuthClient, SignedIn, UserOf } from "./requests/auth-client.js";
export type { ProblemCode } from "./requests/problem-code.js";
export type { RouteCall } from "./requests/route-call.js";
export type { CallOptions, SendOptions } from "./requests/send.js";
export type { UploadedFile } from "./requests/upload.js";
export type {
  ExportQuery,
  ImportOptions,
  Page,
  PageMeta,
  Replacement,
  ResourceClient,
  SubscribeOptions,
  UpsertOptions,
  WriteOptions,
} from "./resources/resource-client.js";
