// Signed notes (c2sp.org/signed-note) with log checkpoints (c2sp.org/tlog-checkpoint), for Ed25519 (type 0x01) and ECDSA
// P-256 keys (type 0x02). Any tool for such logs can verify them. Also the notes by which one key hands over to the next.
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { sameBytes, sha256 } from '../../../base/lib/json.ts'

const ED25519 = 0x01
const ECDSA = 0x02
/** The prefix of the 32 bytes of an Ed25519 key in its SPKI encoding (RFC 8410). */
const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
/** c2sp.org/signed-note requires verifiers to accept at least 16. */
const MAX_SIGNATURES = 16

export type NoteKey = { name: string; id: Buffer; type: typeof ED25519 | typeof ECDSA; key: KeyObject; encoded: Buffer }

/** A verifier for the given name from a DER-encoded public key. Throws on any but Ed25519 and P-256 keys. */
export function noteKey(name: string, spki: Uint8Array): NoteKey {
  if (name === '' || /[\s+]/u.test(name)) throw new Error('the key name is empty or has a space or plus sign')
  const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  if (key.asymmetricKeyType === 'ed25519') {
    const encoded = Buffer.from(spki).subarray(ED25519_SPKI_PREFIX.length)
    const id = sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), encoded])).subarray(0, 4)
    return { name, id, type: ED25519, key, encoded }
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('the key is neither an Ed25519 nor a P-256 key')
  return { name, id: sha256(spki).subarray(0, 4), type: ECDSA, key, encoded: Buffer.from(spki) }
}

/** `<name>+<key id, hex>+<base64 of type and key>`: the verifier key that a verifier is configured with. */
export const verifierKey = ({ name, id, type, encoded }: NoteKey): string =>
  `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(type), encoded]).toString('base64')}`

/** Throws when the text is not a verifier key or its id does not match its key. */
export function parseVerifierKey(text: string): NoteKey {
  const [name = '', id, material = ''] = splitInThree(text)
  const [type, encoded] = [Buffer.from(material, 'base64')[0], Buffer.from(material, 'base64').subarray(1)]
  if (type !== ED25519 && type !== ECDSA) throw new Error('the verifier key has an unknown type')
  const parsed = noteKey(name, type === ED25519 ? Buffer.concat([ED25519_SPKI_PREFIX, encoded]) : encoded)
  if (parsed.type !== type || parsed.id.toString('hex') !== id) throw new Error('the key id does not match the key')
  return parsed
}

/** Only the first two `+` separate, because base64 may hold `+`, too. */
function splitInThree(text: string): string[] {
  const first = text.indexOf('+')
  const second = text.indexOf('+', first + 1)
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)]
}

/** The note of a text and signatures over exactly this text, which must end in a newline. */
export function signedNote(text: string, signatures: readonly { key: NoteKey; signature: Uint8Array }[]): string {
  const lines = signatures.map(
    ({ key, signature }) => `— ${key.name} ${Buffer.concat([key.id, signature]).toString('base64')}\n`,
  )
  return `${text}\n${lines.join('')}`
}

/**
 * The text of a note with a valid signature by at least one of the keys. Undefined when there is none, when a signature by
 * one of them is bad, or when it is malformed. Signatures by other keys are ignored.
 */
export function openNote(note: string, keys: readonly NoteKey[]): string | undefined {
  const border = note.lastIndexOf('\n\n')
  // oxlint-disable-next-line no-control-regex -- the format forbids them
  if (border < 0 || !note.endsWith('\n') || /[\0-\t\v-\x1f]/.test(note) || !note.isWellFormed()) return undefined
  const text = note.slice(0, border + 1)
  const lines = note.slice(border + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return undefined
  const verdicts = lines.map((line) => signatureVerdict(text, line, keys))
  return verdicts.includes('good') && !verdicts.includes('bad') ? text : undefined
}

function signatureVerdict(text: string, line: string, keys: readonly NoteKey[]): 'good' | 'bad' | 'unknown' {
  const [, name, encoded] = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? []
  if (name === undefined || encoded === undefined) return 'bad'
  const bytes = Buffer.from(encoded, 'base64')
  const key = keys.find((known) => known.name === name && sameBytes(known.id, bytes.subarray(0, 4)))
  if (!key) return 'unknown'
  const digest = key.type === ECDSA ? 'sha256' : null // Ed25519 includes its hash
  return verify(digest, Buffer.from(text), key.key, bytes.subarray(4)) ? 'good' : 'bad'
}

export type Checkpoint = { origin: string; size: number; root: Uint8Array }

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** Undefined when the text is not a checkpoint. Extension lines are ignored. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [, origin, size, root] = /^(.+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:.+\n)*$/.exec(text) ?? []
  if (origin === undefined || size === undefined || root === undefined) return undefined
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') }
}

/** A key of a chain. It signs checkpoints of more than `fromSize` artifacts; `succession` is absent on the first. */
export type Signer = { key: NoteKey; spki: Uint8Array; fromSize: number; succession?: string | undefined }

/**
 * A change of signing key, signed by both keys: the former key names its successor, and the new key names its predecessor. A
 * verifier that trusts one can trust the other. Keys that a table or pack only lists are not trusted. `name`: the key name of
 * both. Keys are DER-encoded public keys.
 */
export type Succession = { name: string; fromSize: number; former: Uint8Array; next: Uint8Array }

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** The text that both keys sign. Its first line never occurs in a checkpoint, so neither can pass for the other. */
export const successionText = ({ name, fromSize, former, next }: Succession): string =>
  `gov.evidence/v1/succession\n${name}\n${fromSize}\n${base64(former)}\n${base64(next)}\n`

/** Undefined when the bytes are not a usable public key. */
export function signerOf(name: string, spki: Uint8Array, fromSize: number, succession?: string): Signer | undefined {
  try {
    return { key: noteKey(name, spki), spki, fromSize, succession }
  } catch {
    return undefined
  }
}

export const sameKey = (one: NoteKey, other: NoteKey): boolean =>
  one.name === other.name && sameBytes(one.encoded, other.encoded)

/**
 * The keys of a list (oldest first) that are trusted because a chain of successions, signed by both neighbours, connects
 * them to an already trusted key.
 */
export function believed(keys: readonly Signer[], trusted: readonly NoteKey[]): Signer[] {
  const runs: Signer[][] = []
  for (const one of keys) {
    const run = runs.at(-1)
    const former = run?.at(-1)
    if (run && former && follows(former, one)) run.push(one)
    else runs.push([one])
  }
  return runs.filter((run) => run.some(({ key }) => trusted.some((one) => sameKey(one, key)))).flat()
}

function follows(former: Signer, { key, spki, fromSize, succession = '' }: Signer): boolean {
  const text = successionText({ name: key.name, fromSize, former: former.spki, next: spki })
  return [former.key, key].every((signer) => openNote(succession, [signer]) === text)
}

/** The keys that may sign a checkpoint of that size. A key is valid until its successor begins. */
export const keysFor = (keys: readonly Signer[], size: number): NoteKey[] =>
  keys
    .filter(({ fromSize }, index) => fromSize < size && size <= (keys[index + 1]?.fromSize ?? Number.MAX_SAFE_INTEGER))
    .map(({ key }) => key)
