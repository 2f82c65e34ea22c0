import { z } from "zod";
import { isMailAddress } from "./is-mail-address.js";
import { senderOf } from "./sender-of.js";

/** The server that mails are handed to (specification, "email"). */
export interface MailerSettings {
  /** Name or address of the SMTP server. */
  readonly host: string;
  /** @default 465 */
  readonly port?: number;
  /**
   * TLS from the first byte. With `false` the connection is upgraded (STARTTLS) before the password is sent; only a
   * server on this machine may do without.
   *
   * @default true
   */
  readonly secure?: boolean;
  readonly auth: { readonly user: string; readonly pass: string };
  /** The address that mails come from. @default `auth.user` or `name`, where that is an address */
  readonly from?: string;
  /** The name that receivers read before the address; `Shop <shop@example.com>` has both. */
  readonly name?: string;
  /** The certificate of an authority (PEM) to trust in place of the public ones, for a server inside a company. */
  readonly ca?: string;
}

/** Time limits in milliseconds. */
export interface MailerLimits {
  /** Reaching the server, and its first words. @default 10000 */
  readonly connect?: number;
  /** One mail from `send` to the server's word that it took it, waiting for a connection included. @default 60000 */
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
    .meta({ expected: "a mail address alone (the name belongs to `name`)" })
    .optional(),
  name: z.string().optional(),
  ca: z.string().optional(),
};

/** The shape of the settings. Many servers take a user name that is no address: then `from` or `name` has an address. */
export const mailerSchema = z.strictObject(settings).check(({ value, issues }) => {
  if (senderOf(value as MailerSettings) !== undefined) return;
  const message =
    "It is missing: neither auth.user nor name is a mail address, so that mails have no sender. Give from (EMAIL_FROM).";
  issues.push({ code: "custom", path: ["from"], message, input: value });
});

/** The names that the specification has for variables of the block `email` of a configuration. */
export const mailerVariables = {
  EMAIL_HOST: { key: "email.host" },
  EMAIL_PORT: { key: "email.port" },
  EMAIL_SECURE: { key: "email.secure" },
  EMAIL_USER: { key: "email.auth.user" },
  EMAIL_PASSWORD: { key: "email.auth.pass" },
  EMAIL_FROM: { key: "email.from" },
  EMAIL_NAME: { key: "email.name" },
} as const;
