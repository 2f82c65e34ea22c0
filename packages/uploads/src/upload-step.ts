import { type StartupIssue } from "@servicekit/core";
import { isInstalled, missingPackages, type Nested } from "@servicekit/core/internal";
import { type DeclaredRoute, type RouteStep, type UploadsConfig } from "@servicekit/router";
import { routeName } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { toUploadedFile } from "./files/uploaded-file.js";
import { makeUploadReader } from "./receiving/receive-form.js";
import { receiveInTime } from "./receiving/receive-in-time.js";
import type { ReceivedUpload } from "./receiving/receive-upload.js";
import { removeOnError } from "./receiving/remove-on-error.js";
import type { StoreContext } from "./receiving/store-file.js";
import { folderIssue, readUploadPlan } from "./receiving/upload-plan.js";
import type { ReportIssue } from "./receiving/upload-session.js";
import { formErrors, imageErrors } from "./routes/file-documentation.js";
import type { UploadSettings } from "./settings.js";

/** The options of the step. */
export interface UploadStepOptions extends StoreContext {
  readonly report: ReportIssue;
  /** Maximum number of values in the JSON texts of a form. */
  readonly maxJsonValues: number;
}

/**
 * The step of `experimental.uploads`: receives the form, stores its files, and passes them to the handlers as
 * `request.file` or `request.files` and in the body (contract C53). A body of another media type passes unchanged:
 * `validation` decides whether a file is required.
 */
export function makeUploadStep(options: UploadStepOptions): RouteStep {
  return {
    key: "experimental.uploads",
    handlers: (value, route) =>
      value === undefined ? [] : [takeUploads(value as UploadsConfig, route?.origin.readFields, options)],
    errors(value) {
      if (value === undefined) return [];
      return (value as UploadsConfig).image === undefined ? formErrors : [...formErrors, ...imageErrors];
    },
    check: (value, route) => (value === undefined ? [] : routeIssues(value as UploadsConfig, route, options.settings)),
  };
}

function takeUploads(
  config: UploadsConfig,
  readFields: DeclaredRoute["origin"]["readFields"],
  options: UploadStepOptions,
): RequestHandler {
  const plan = readUploadPlan(config, options.settings);
  const { attachToBody: attachment = "pathname", deleteOnError = false } = config;
  const { maxJsonValues } = options;
  const ofRoute = readFields && { readFields: (fields: Nested) => readFields(fields, maxJsonValues) };
  const context = { ...options, ...ofRoute, plan, attachment, readForm: makeUploadReader(plan) };
  return async function takeUploads(request, response, next) {
    if (!request.is("multipart/*")) {
      handOver(request, config, undefined);
      next();
      return;
    }
    const upload = await receiveInTime(request, response, context);
    if (upload === undefined) return;
    request.body = upload.body;
    handOver(request, config, upload);
    if (deleteOnError) removeOnError(response, () => void upload.remove());
    next();
  };
}

/** One file, a list, or a map by field name, by the type. */
function handOver(request: Request, { type }: UploadsConfig, upload: ReceivedUpload | undefined): void {
  const files = (upload?.files ?? []).map(toUploadedFile);
  if (type === "single") request.file = files[0];
  else if (type === "array") request.files = files;
  else {
    const entries = [...(upload?.byField ?? [])].map(([{ name }, own]) => [name, own.map(toUploadedFile)] as const);
    request.files = Object.fromEntries(entries);
  }
}

function routeIssues(config: UploadsConfig, route: DeclaredRoute, settings: UploadSettings): StartupIssue[] {
  const issues: string[] = [];
  if (route.method === "GET") issues.push("experimental.uploads requires a body, which GET requests do not have.");
  const folder = folderIssue(config, settings);
  if (folder !== undefined) issues.push(`experimental.uploads.${folder}`);
  if (config.image !== undefined && !isInstalled("sharp", import.meta.url)) {
    issues.push(missingPackages({ names: ["sharp"], purpose: "experimental.uploads.image" }));
  }
  return issues.map((message) => ({ where: routeName(route), message }));
}
