/**
 * Encrypts short secrets before they are stored. A secret is bound to its place (its owner and its name there) and
 * can't be opened elsewhere.
 */
export interface Vault {
  /** Ids of the keys that can open; the first one seals. */
  readonly keyIds: readonly string[];
  /** Throws VaultError where there is no key. */
  seal(text: string, place: string): string;
  /** Throws VaultError where the text is not sealed for this place, or its key is missing. */
  open(sealed: string, place: string): string;
}

/** Shown in the place of a stored secret. Sent back, it keeps the stored secret. */
export const mask = '********';

/** Whether a vault has sealed this text. */
export function isSealed(text: string): boolean {
  return sealedPattern.test(text);
}

/** The id of the key that sealed a text; undefined where it is not sealed. */
export function keyIdOf(sealed: string): string | undefined {
  return sealedPattern.exec(sealed)?.[1];
}

/** `sealed.1.<id of the key>.<nonce, text and tag in base64url>`. */
const sealedPattern = /^sealed\.1\.([0-9a-f]{32})\.[\w-]{38,}$/;
