import { z } from "zod";
import { isMailAddress } from "./is-mail-address.js";
import { senderOf } from "./sender-of.js";

/** The SMTP server (specification, "email"). */
export interface MailerSettings {
  /** Host name or address of the SMTP server. */
  readonly host: string;
  /** @default 465 */
  readonly port?: number;
  /**
   * TLS from the first byte. With `false` the connection is upgraded (STARTTLS) before the password is sent; only a
   * server on this machine may be used without.
   *
   * @default true
   */
  readonly secure?: boolean;
  readonly auth: { readonly user: string; readonly pass: string };
  /** The sender address. @default `auth.user` or `name`, if that is an address */
  readonly from?: string;
  /** The display name of the sender; `Shop <shop@example.com>` has both. */
  readonly name?: string;
  /** The certificate of a CA (PEM) to trust instead of the public ones, for an internal server. */
  readonly ca?: string;
}

/** Time limits in milliseconds. */
export interface MailerLimits {
  /** Connecting to the server, including its greeting. @default 10000 */
  readonly connect?: number;
  /** One email from `send` to its acceptance by the server, including the wait for a connection. @default 60000 */
  readonly send?: number;
}

const settings: { readonly [Key in keyof Required<MailerSettings>]: z.ZodType } = {
  host: z.string().min(1),
  port: z.int().min(1).max(65535).optional(),
  secure: z.boolean().optional(),
  auth: z.strictObject({ user: z.string().min(1), pass: z.string().meta({ secret: true }) }),
  from: z
    .string()
    .refine(isMailAddress)
    .meta({ expected: "an email address alone (the display name belongs in `name`)" })
    .optional(),
  name: z.string().optional(),
  ca: z.string().optional(),
};

/** The schema of the settings. If the user name of a server is not an address, `from` or `name` must contain one. */
export const mailerSchema = z.strictObject(settings).check(({ value, issues }) => {
  if (senderOf(value as MailerSettings) !== undefined) return;
  const message =
    "is missing: neither auth.user nor name is an email address, so messages have no sender. Set from (EMAIL_FROM).";
  issues.push({ code: "custom", path: ["from"], message, input: value });
});

/** The names of the environment variables of the block `email` (specification). */
export const mailerVariables = {
  EMAIL_HOST: { key: "email.host" },
  EMAIL_PORT: { key: "email.port" },
  EMAIL_SECURE: { key: "email.secure" },
  EMAIL_USER: { key: "email.auth.user" },
  EMAIL_PASSWORD: { key: "email.auth.pass" },
  EMAIL_FROM: { key: "email.from" },
  EMAIL_NAME: { key: "email.name" },
} as const;
