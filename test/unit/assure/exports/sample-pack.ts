// A pack made by hand, in memory: twelve artifacts under two checkpoints, with the payloads of some of them, and the proof of
// its manifest under a third one. Whoever made it can seal it again after any change, as nobody else can.
import { generateKeyPairSync, sign } from 'node:crypto'
import {
  artifactHash,
  genesisLink,
  hex,
  link,
  payloadCommitment,
} from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { append, type Frontier, leafHash, rootOf } from '../../../../shared/ledger/evidence/chain/merkle.ts'
import {
  checkpointText,
  noteKey,
  type NoteKey,
  signedNote,
  verifierKey,
} from '../../../../shared/ledger/evidence/checkpoint/note.ts'
import { inclusionProof } from '../../../../shared/ledger/evidence/checkpoint/proofs.ts'
import { tlogProof } from '../../../../shared/ledger/evidence/checkpoint/proven.ts'
import { PACK, PACK_FORMAT, type PackManifest } from '../../../../shared/assure/exports/pack/pack.ts'
import type { PackFiles } from '../../../../shared/assure/exports/pack/reader.ts'
import { canonicalJson, sha256Hex } from '../../../../shared/base/lib/json.ts'

export type Pack = Map<string, string>

export const CHAIN = 'ten_01/live'
export const SIZES = [5, 12] as const
export const MADE_AT = '2026-11-20T12:00:00.000Z'
const SALT = Buffer.alloc(32, 7)

export const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
export type Pair = ReturnType<typeof keyPair>
type Signer = { key: NoteKey; pair: Pair }

export const spkiOf = ({ publicKey }: Pair): Buffer => publicKey.export({ format: 'der', type: 'spki' })
export const signature = (text: string, pair: Pair): Buffer => sign('sha256', Buffer.from(text), pair.privateKey)
export const noteBy = (text: string, ...signers: Signer[]): string =>
  signedNote(
    text,
    signers.map(({ key, pair }) => ({ key, signature: signature(text, pair) })),
  )

/** Who made a pack: the log so far, and its key. */
type Maker = { chain: string; signer: Signer; links: Buffer[] }
const makers = new WeakMap<Pack, Maker>()

export type SampleOptions = {
  pair?: Pair
  chain?: string
  /** Where the range begins: 0 or the size of a checkpoint. */
  from?: 0 | 5
  /** What the header of a sequence says besides its usual members. */
  extra?: (sequence: number) => object
}

const idOf = (sequence: number) => `art_${String(sequence).padStart(2, '0')}`

export function samplePack({
  pair = keyPair(),
  chain = CHAIN,
  from = 0,
  extra = () => ({}),
}: SampleOptions = {}): Pack {
  const spki = spkiOf(pair)
  const genesis = {
    chain,
    created_at: '2026-11-20T00:00:00.000Z',
    key_spki_sha256: sha256Hex(spki),
    origin: 'log.example',
  }
  const key = noteKey(`${genesis.origin}/${chain}`, spki)
  const signer = { key, pair }
  const note = (size: number, frontier: Frontier) =>
    noteBy(checkpointText({ origin: key.name, size, root: rootOf(frontier) }), signer)
  let [previous, frontier]: [Buffer, Frontier] = [genesisLink(genesis), []]
  let start: PackManifest['start'] = { size: 0, link: hex(previous), frontier: [] }
  const [artifacts, payloads, pack]: [string[], string[], Pack] = [[], [], new Map()]
  const links: Buffer[] = []
  for (let sequence = 0; sequence < SIZES[1]; sequence += 1) {
    const payload = { number: sequence }
    const header = canonicalJson({
      v: 1,
      artifact_id: idOf(sequence),
      chain,
      occurred_at: `2026-11-20T11:${String(sequence).padStart(2, '0')}:00.000Z`,
      ...(sequence % 3 === 0 && {
        request_id: `exe_${sequence}`,
        subject_ref: 'ada',
        payload_commitment: hex(payloadCommitment(SALT, payload)),
      }),
      ...extra(sequence),
    })
    previous = link(chain, sequence, previous, artifactHash(header))
    links.push(previous)
    frontier = append(frontier, sequence, leafHash(previous))
    const size = sequence + 1
    if (size > from) artifacts.push(`${hex(previous)} ${header}\n`)
    if (size > from && sequence % 3 === 0)
      payloads.push(`${canonicalJson({ artifact_id: idOf(sequence), salt: hex(SALT), payload })}\n`)
    if (size === from) start = { size, link: hex(previous), frontier: frontier.map(hex) }
    if (size >= from && SIZES.some((one) => one === size)) pack.set(PACK.checkpoint(size), note(size, frontier))
  }
  pack.set(PACK.artifacts, artifacts.join(''))
  pack.set(PACK.payloads, payloads.join(''))
  const manifest: PackManifest = {
    format: PACK_FORMAT,
    chain,
    genesis,
    range: { from, to: SIZES[1] },
    start,
    verifier_keys: [{ verifier_key: verifierKey(key), spki: spki.toString('base64'), from_size: 0 }],
    checkpoints: SIZES.filter((size) => size >= from).map((size) => ({ path: PACK.checkpoint(size), size })),
    files: [],
    generated_at: MADE_AT,
  }
  pack.set(PACK.manifest, JSON.stringify(manifest))
  makers.set(pack, { chain, signer, links })
  return listFiles(pack)
}

export const manifestOf = (pack: Pack): PackManifest => JSON.parse(pack.get(PACK.manifest) ?? '{}')

/** A changed copy that still knows its maker. Nothing is sealed. */
export function changed(pack: Pack, path: string, text: string): Pack {
  const next = new Map(pack).set(path, text)
  makers.set(next, makerOf(pack))
  return next
}

function makerOf(pack: Pack): Maker {
  const maker = makers.get(pack)
  if (!maker) throw new Error('nobody made this pack')
  return maker
}

/** One more artifact of the log, with what shows that it stands there. */
export function proven(pack: Pack, facts: object): string {
  const { chain, signer, links } = makerOf(pack)
  const header = canonicalJson({ v: 1, artifact_id: idOf(links.length), chain, occurred_at: MADE_AT, ...facts })
  const previous = links.at(-1) ?? Buffer.alloc(32)
  const all = [...links, link(chain, links.length, previous, artifactHash(header))]
  const leaves = all.map(leafHash)
  const root = rootOf(leaves.reduce<Frontier>((frontier, leaf, size) => append(frontier, size, leaf), []))
  const checkpoint = noteBy(checkpointText({ origin: signer.key.name, size: all.length, root }), signer)
  const hashes = inclusionProof({ size: 0, frontier: [], leaves }, links.length)
  const proof = tlogProof({ index: links.length, hashes, checkpoint })
  return `${JSON.stringify({ header, previous: hex(previous), proof })}\n`
}

/** Lets the log hold the hash of the manifest as it is. */
export const sealed = (pack: Pack, facts: object = {}): Pack =>
  changed(
    pack,
    PACK.proof,
    proven(pack, {
      type: 'evidence.pack.made',
      data: { manifest_sha256: sha256Hex(pack.get(PACK.manifest) ?? '') },
      occurred_at: manifestOf(pack).generated_at,
      ...facts,
    }),
  )

/** Changes the manifest, and seals that: what only whoever holds the key can do. */
export function editManifest(pack: Pack, edit: (manifest: PackManifest) => Partial<PackManifest>): Pack {
  const manifest = manifestOf(pack)
  return sealed(changed(pack, PACK.manifest, JSON.stringify({ ...manifest, ...edit(manifest) })))
}

/** Lists every file with its present hash. */
export const listFiles = (pack: Pack): Pack =>
  editManifest(pack, () => ({
    files: [...pack].flatMap(([path, text]) =>
      path === PACK.manifest || path === PACK.proof
        ? []
        : [{ path, sha256: sha256Hex(text), bytes: Buffer.byteLength(text), rows: text.split('\n').length - 1 }],
    ),
  }))

/** Changes the lines of a file, and lists and seals it again. */
export function editLines(pack: Pack, path: string, edit: (lines: string[]) => string[]): Pack {
  const lines = (pack.get(path) ?? '').split('\n').slice(0, -1)
  const text = edit(lines)
    .map((line) => `${line}\n`)
    .join('')
  return listFiles(changed(pack, path, text))
}

export async function* contentOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += 100) yield bytes.subarray(from, from + 100)
}

export const filesOf = (pack: ReadonlyMap<string, string>): PackFiles => ({
  paths: new Set(pack.keys()),
  open: (path) => contentOf(pack.get(path) ?? ''),
})

/** The same log with more artifacts, which no checkpoint in the pack covers. */
export function withTail(pack: Pack, headers: object[]): Pack {
  const { chain, signer, links } = makerOf(pack)
  const grown = [...links]
  const lines = headers.map((facts, index) => {
    const header = canonicalJson({ v: 1, artifact_id: `art_tail_${index}`, chain, ...facts })
    grown.push(link(chain, grown.length, grown.at(-1) ?? Buffer.alloc(32), artifactHash(header)))
    return `${hex(grown.at(-1) ?? Buffer.alloc(32))} ${header}\n`
  })
  const next = changed(pack, PACK.artifacts, `${pack.get(PACK.artifacts)}${lines.join('')}`)
  makers.set(next, { chain, signer, links: grown })
  const range = { ...manifestOf(pack).range, to: grown.length }
  return listFiles(editManifest(next, () => ({ range })))
}
