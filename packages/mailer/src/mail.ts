/** An address, or an address with the name of its owner. A text is one address: it is never split into several. */
export type MailAddress = string | { readonly name?: string; readonly address: string };

/** One receiver or several. */
export type MailAddresses = MailAddress | readonly MailAddress[];

/** A file that travels with a mail; its content is given, never read from a path or fetched. */
export interface MailAttachment {
  readonly filename: string;
  readonly content: string | Uint8Array;
  /** @default by the ending of the filename */
  readonly contentType?: string;
}

/** A mail as it is. Nothing in it is a template. */
export interface Mail {
  readonly to: MailAddresses;
  readonly cc?: MailAddresses;
  readonly bcc?: MailAddresses;
  /** @default the `name` and the `from` of the settings */
  readonly from?: MailAddress;
  readonly replyTo?: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly attachments?: readonly MailAttachment[];
}
