// Detects credentials in a payload. Each pattern starts where its alphabet starts, so the search takes linear time.
import { crc32 } from 'node:zlib'
import { type Detector, type Span, spansOf } from './span.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Whether the last six characters of an API key are the CRC-32 of the rest in base 62. */
function hasChecksum(key: string): boolean {
  let rest = crc32(key.slice(0, -6))
  let text = ''
  for (let i = 0; i < 6; i += 1) {
    text = BASE62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return key.endsWith(text)
}

const API_KEY = /(?<!\w)ak_(?:live|test)_[0-9A-Za-z]{39}(?!\w)/g
const AWS_KEY_ID = /(?<!\w)(?:AKIA|ASIA)[A-Z2-7]{16}(?!\w)/g
const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g
const AWS_SECRET_LENGTH = 40
const SECRET_CONTEXT = /secret/i
const JWT = /(?<![\w.-])eyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]*/g
const BEARER = /\bbearer\s{1,4}[A-Za-z0-9._~+/-]{16,}={0,2}/gi

const KEY_BLOCK = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g

/** From the opening line of a private key to the end of its closing line, or of the text. */
function findKeyBlocks(text: string): Span[] {
  const spans: Span[] = []
  for (const { start, end } of spansOf(text, KEY_BLOCK)) {
    if (start < (spans.at(-1)?.end ?? 0)) continue
    const closing = text.indexOf('-----END', end)
    const close = closing === -1 ? -1 : text.indexOf('-----', closing + 8)
    spans.push({ start, end: close === -1 ? text.length : close + 5 })
  }
  return spans
}

/** Every secret has one of these in it or in the name of its member; most texts have none. */
const SIGN = /PRIVATE KEY|ak_|AKIA|ASIA|eyJ|bearer|secret/i

/** AWS keys, JSON web tokens, private keys, bearer tokens and API keys of this service. */
export const findSecrets: Detector = (text, key) =>
  SIGN.test(text) || (text.length >= AWS_SECRET_LENGTH && SECRET_CONTEXT.test(key)) ? secretsIn(text, key) : []

const secretsIn: Detector = (text, key) => [
  ...(text.includes('PRIVATE KEY') ? findKeyBlocks(text) : []),
  ...(text.includes('ak_') ? spansOf(text, API_KEY, hasChecksum) : []),
  ...(text.includes('AKIA') || text.includes('ASIA') ? spansOf(text, AWS_KEY_ID) : []),
  ...(text.includes('eyJ') ? spansOf(text, JWT) : []),
  ...(/bearer/i.test(text) ? spansOf(text, BEARER, (token) => /\d/.test(token)) : []),
  ...(text.length >= AWS_SECRET_LENGTH && (SECRET_CONTEXT.test(key) || SECRET_CONTEXT.test(text))
    ? spansOf(text, AWS_SECRET)
    : []),
]
