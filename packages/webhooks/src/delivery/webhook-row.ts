/** A webhook as it is stored. */
export interface WebhookRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  /** It may be encrypted, as those of {@link previousSecret}. */
  readonly currentSecret: string | null;
  /** Separated by blanks, the latest first. */
  readonly previousSecret: string | null;
  readonly previousSecretEndsAt: Date | null;
  readonly failingSince: Date | null;
}
