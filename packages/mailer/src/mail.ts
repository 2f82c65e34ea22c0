/** An address, or an address with the name of its owner. A string is one address and never split. */
export type MailAddress = string | { readonly name?: string; readonly address: string };

/** One recipient or several. */
export type MailAddresses = MailAddress | readonly MailAddress[];

/** An attachment. Its content is passed as a value, never read from a path or fetched. */
export interface MailAttachment {
  readonly filename: string;
  readonly content: string | Uint8Array;
  /** @default by the ending of the filename */
  readonly contentType?: string;
}

/** An email. Nothing in it is a template. */
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
