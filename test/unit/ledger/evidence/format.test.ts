// The page for those who write a verifier of their own says what the code does.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  artifactHash,
  genesisLink,
  hex,
  link,
  payloadCommitment,
} from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { append, EMPTY_ROOT, type Frontier, leafHash, rootOf } from '../../../../shared/ledger/evidence/chain/merkle.ts'
import {
  believed,
  keysFor,
  noteKey,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  type Signer,
  verifierKey,
} from '../../../../shared/ledger/evidence/checkpoint/note.ts'
import { openProven } from '../../../../shared/ledger/evidence/checkpoint/proven.ts'
import { PACK, PACK_FORMAT } from '../../../../shared/assure/exports/pack/pack.ts'
import { canonicalJson, sha256Hex } from '../../../../shared/base/lib/json.ts'

const page = readFileSync(new URL('../../../../shared/ledger/evidence/FORMAT.md', import.meta.url), 'utf8')
const vectors = JSON.parse(/```json\n([^]*?)```/.exec(page)?.[1] ?? '')
const { genesis, keys } = vectors
const name = `${genesis.origin}/${genesis.chain}`
const spkis: Buffer[] = keys.map(({ spki }: { spki: string }) => Buffer.from(spki, 'base64'))

test('genesis, artifacts, links, leaves and roots are those of the vectors', () => {
  expect(hex(EMPTY_ROOT)).toBe(vectors.empty_root)
  expect(hex(genesisLink(genesis))).toBe(vectors.genesis_link)
  let [previous, frontier]: [Uint8Array, Frontier] = [genesisLink(genesis), []]
  for (const [index, expected] of vectors.artifacts.entries()) {
    const ah = artifactHash(expected.header)
    previous = link(genesis.chain, index, previous, ah)
    const leaf = leafHash(previous)
    frontier = append(frontier, index, leaf)
    const computed = { artifact_hash: hex(ah), link: hex(previous), leaf: hex(leaf), root: hex(rootOf(frontier)) }
    expect({ header: canonicalJson(JSON.parse(expected.header)), ...computed }).toEqual(expected)
  }
})

test('the commitment of the payload is that of the vectors', () => {
  const { payload, canonical, salt, commitment } = vectors.payload

  expect(canonicalJson(payload)).toBe(canonical)
  expect(hex(payloadCommitment(Buffer.from(salt, 'hex'), payload))).toBe(commitment)
})

test('verifier keys are made of the keys, and the genesis commits to the first', () => {
  for (const [index, { verifier_key }] of keys.entries()) {
    expect(verifierKey(noteKey(name, spkis[index] ?? Buffer.alloc(0)))).toBe(verifier_key)
    expect(verifierKey(parseVerifierKey(verifier_key))).toBe(verifier_key)
  }
  expect(sha256Hex(spkis[0] ?? '')).toBe(genesis.key_spki_sha256)
})

test('the checkpoint is signed by the first key and has the root of the last artifact', () => {
  const text = openNote(vectors.checkpoint, [parseVerifierKey(keys[0].verifier_key)])
  const checkpoint = parseCheckpoint(text ?? '')

  expect(checkpoint).toMatchObject({ origin: name, size: vectors.artifacts.length })
  expect(hex(checkpoint?.root ?? new Uint8Array())).toBe(vectors.artifacts.at(-1).root)
})

test('the proof holds for its artifact and for no other', () => {
  const keysOf = () => [parseVerifierKey(keys[0].verifier_key)]
  const log = { chain: genesis.chain, origin: name, keysFor: keysOf }

  expect(openProven(vectors.proven, log)).toMatchObject({ sequence: 1, facts: { type: 'action.requested' } })
  expect(openProven({ ...vectors.proven, header: vectors.artifacts[0].header }, log)).toBeUndefined()
})

test('the second key follows upon the first, each for the sizes that the page says', () => {
  const signers = keys.map(({ verifier_key }: { verifier_key: string }, index: number): Signer => {
    const spki = spkis[index] ?? Buffer.alloc(0)
    const key = parseVerifierKey(verifier_key)
    return { key, spki, fromSize: index * 3, succession: index === 0 ? undefined : vectors.succession }
  })
  const counting = believed(signers, [parseVerifierKey(keys[0].verifier_key)])

  expect([3, 4].map((size) => keysFor(counting, size).map(verifierKey))).toEqual([
    [keys[0].verifier_key],
    [keys[1].verifier_key],
  ])
})

test('the page names the format and every file of a pack', () => {
  for (const text of [PACK_FORMAT, ...Object.values(PACK).filter((path) => typeof path === 'string')])
    expect(page).toContain(`\`${text}\``)
})
