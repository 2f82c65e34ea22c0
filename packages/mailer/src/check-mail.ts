import type { SendMailOptions } from "nodemailer";
import { isMailAddress } from "./is-mail-address.js";
import type { Mail, MailAddress, MailAddresses } from "./mail.js";
import { MailError } from "./mail-error.js";

/**
 * Creates the message for nodemailer from the known fields only.
 *
 * @throws {MailError} `InvalidMail` for input that could become a second header, a second recipient or a local file
 */
export function checkMail(mail: Mail, sender: MailAddress): SendMailOptions {
  const { attachments = [], html } = mail;
  const message = {
    from: toAddress(mail.from ?? sender, mail.from === undefined ? "auth.user (give the settings a from)" : "from"),
    to: toAddresses(mail.to, "to"),
    cc: mail.cc === undefined ? [] : toAddresses(mail.cc, "cc"),
    bcc: mail.bcc === undefined ? [] : toAddresses(mail.bcc, "bcc"),
    ...(mail.replyTo === undefined ? {} : { replyTo: toAddress(mail.replyTo, "replyTo") }),
    subject: toLine(mail.subject, "subject"),
    text: toText(mail.text, "text"),
    ...(html === undefined ? {} : { html: toText(html, "html") }),
    attachments: attachments.map(({ filename, content, contentType }) => ({
      filename: toLine(filename, "filename"),
      content: content instanceof Uint8Array ? Buffer.from(content) : toText(content, "content"),
      ...(contentType === undefined ? {} : { contentType: toLine(contentType, "contentType") }),
    })),
  };
  if (message.to.length === 0) throw new MailError("InvalidMail", "The message has no recipients.");
  return message;
}

function toAddresses(given: MailAddresses, field: string): { name: string; address: string }[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  return list.map((one) => toAddress(one, field));
}

function toAddress(given: unknown, field: string): { name: string; address: string } {
  const { address: plain, name = "" } =
    typeof given === "object" && given !== null ? (given as Record<string, unknown>) : { address: given };
  if (!isMailAddress(plain)) {
    throw new MailError("InvalidMail", `${field} is not a single email address.`);
  }
  return { name: toLine(name, `the name in ${field}`), address: plain };
}

function toLine(value: unknown, field: string): string {
  const text = toText(value, field);
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) throw new MailError("InvalidMail", `${field} contains a line break.`);
  return text;
}

function toText(value: unknown, field: string): string {
  if (typeof value !== "string") throw new MailError("InvalidMail", `${field} is not a string.`);
  return value;
}
