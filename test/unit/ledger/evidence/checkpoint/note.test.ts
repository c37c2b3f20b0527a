import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  checkpointText,
  noteKey,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  signedNote,
  verifierKey,
} from '../../../../../shared/ledger/evidence/checkpoint/note.ts'

// The example of golang.org/x/mod/sumdb/note (Ed25519) and the two ECDSA logs that github.com/transparency-dev/formats
// tests against.
const PUBLISHED = [
  {
    key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
    signature:
      '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
  },
  {
    key: 'rekor.sigstore.dev+c0d23d6a+AjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNhtmPtrWm3U1eQXBogSMdGvXwBcK5AW5i0hrZLOC96l+smGNM7nwZ4QvFK/4sueRoVj//QP22Ni4Qt9DPfkWLc=',
    text: 'Rekor\n798034\nf+7CoKgXKE/tNys9TTXcr/ad6U/K3xvznmzew9y6SP0=\n',
    signature:
      '— rekor.sigstore.dev wNI9ajBEAiARInWIWyCdyG27CO6LPnPekyw20qO0YJfoaPaowGp/XgIgc+qEHS3+GKVClgqq20uDLet7MCoTURUCRdxwWBHHufk=\n',
  },
  {
    key: 'pixel6_transparency_log+91c16e30+AjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN+4x0Jk1yTwvLFI9A4NDdGZcX0aiWVdWM5XJVy0M4VWD3AvyW5Q6Hs9A0mcDkpUoYgn+KKPNzFC0H3nN3q6JQ8=',
    text: 'DEFAULT\n10\nbsWRucJU5xJPHb5eBdOm6+DM+VelCZBuvtI3sHERJ9Y=\n',
    signature:
      '— pixel6_transparency_log kcFuMDBFAiEAhqMAP8P6qf6QxtUJhzMhbN+MbZ9dwfUHzGQJmffJHtoCIGD0cNe47dHWBoPwYdgBCepB06/+g5O1FmYjXl06owL4\n',
  },
]

describe.each(PUBLISHED)('the published note of $key', ({ key, text, signature }) => {
  const known = parseVerifierKey(key)

  test('opens', () => {
    expect(openNote(`${text}\n${signature}`, [known])).toBe(text)
    expect(verifierKey(known)).toBe(key)
  })

  test('does not open after any change, nor without its key', () => {
    expect(openNote(`${text.replace(/\d|y/, 'x')}\n${signature}`, [known])).toBeUndefined()
    expect(openNote(`${text}\n${signature.replace(/.{9}=?\n$/, 'AAAAAAAA=\n')}`, [known])).toBeUndefined()
    expect(openNote(`${text}\n${signature}`, [])).toBeUndefined()
  })
})

const ORIGIN = 'countersign.example/ten_1/live'
const pairs = {
  ed25519: generateKeyPairSync('ed25519'),
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}
const spkiOf = (name: keyof typeof pairs) => pairs[name].publicKey.export({ format: 'der', type: 'spki' })

describe.each(['ed25519', 'P-256'] as const)('a note signed with %s', (algorithm) => {
  const key = noteKey(ORIGIN, spkiOf(algorithm))
  const privateKey = createPrivateKey(pairs[algorithm].privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const text = checkpointText({ origin: ORIGIN, size: 4_300, root: Buffer.alloc(32, 9) })
  const signature = sign(algorithm === 'ed25519' ? null : 'sha256', Buffer.from(text), privateKey)
  const note = signedNote(text, [{ key, signature }])

  test('opens under the verifier key that is handed out', () => {
    expect(openNote(note, [parseVerifierKey(verifierKey(key))])).toBe(text)
  })

  test('opens beside signatures of unknown keys', () => {
    expect(openNote(`${note}— witness.example AAAAAAAAAAA=\n`, [key])).toBe(text)
  })

  test('does not open beside a bad signature of a known key', () => {
    const bad = Buffer.concat([key.id, Buffer.alloc(64)]).toString('base64')
    expect(openNote(`${note}— ${ORIGIN} ${bad}\n`, [key])).toBeUndefined()
  })

  test('does not open under the same key with another name', () => {
    expect(openNote(note, [noteKey('countersign.example/ten_2/live', spkiOf(algorithm))])).toBeUndefined()
  })
})

test('text without a signature block, with control characters or with too many signatures is no note', () => {
  const [{ key, text, signature } = { key: '', text: '', signature: '' }] = PUBLISHED
  const known = [parseVerifierKey(key)]

  expect(openNote(text, known)).toBeUndefined()
  expect(openNote(`${text}\n`, known)).toBeUndefined()
  expect(openNote(`a\tb\n\n${signature}`, known)).toBeUndefined()
  expect(openNote(`${text}\n${signature.trimEnd()}`, known)).toBeUndefined()
  expect(openNote(`${text}\n${signature.repeat(17)}`, known)).toBeUndefined()
})

test('a verifier key whose id is not the one of its key is refused', () => {
  expect(() => parseVerifierKey('PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')).toThrow('key id')
  expect(() => parseVerifierKey('PeterNeumann')).toThrow('verifier key')
  expect(() => noteKey('with space', spkiOf('ed25519'))).toThrow('key name')
})

describe('checkpoint texts', () => {
  const root = Buffer.alloc(32, 1)

  test('are read back as they were written', () => {
    expect(parseCheckpoint(checkpointText({ origin: ORIGIN, size: 0, root }))).toEqual({
      origin: ORIGIN,
      size: 0,
      root,
    })
  })

  test.each([
    ['a leading zero', (text: string) => text.replace('\n7\n', '\n07\n')],
    ['a short root', (text: string) => text.replace('AQEB', 'AQ')],
    ['an empty origin', (text: string) => text.replace(ORIGIN, '')],
    ['a missing line end', (text: string) => text.trimEnd()],
  ])('with %s are refused', (_, change) => {
    expect(parseCheckpoint(change(checkpointText({ origin: ORIGIN, size: 7, root })))).toBeUndefined()
  })
})
