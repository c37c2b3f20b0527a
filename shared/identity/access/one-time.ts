// Secrets that are shown once: links in mails, client secrets, registration tokens.
import type { RandomBytes } from '../../base/lib/ids.ts'
import { sha256 } from '../../base/lib/json.ts'

/** 256 random bits as base64url: a secret that is shown once. */
export const newSecret = (random: RandomBytes): string => Buffer.from(random(32)).toString('base64url')

/** The stored form of such a secret. Random bits need no slow hash, because they cannot be guessed. */
export const hashOf = (secret: string): string => sha256(secret).toString('base64url')
