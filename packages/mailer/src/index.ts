export type { Mail, MailAddress, MailAddresses, MailAttachment } from "./mail.js";
export { MailError, type MailErrorCode } from "./mail-error.js";
export { type Mailer, makeMailer, type SentMail } from "./make-mailer.js";
export type { MailerLimits, MailerSettings } from "./settings.js";
