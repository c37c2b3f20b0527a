// A pack made by hand, in memory: twelve artifacts under two checkpoints, with the payloads of some of them.
import { generateKeyPairSync, sign } from 'node:crypto'
import { artifactHash, genesisLink, hex, link, payloadCommitment } from '../../../shared/evidence/hashes.ts'
import { append, type Frontier, leafHash, rootOf } from '../../../shared/evidence/merkle.ts'
import { checkpointText, noteKey, signedNote, verifierKey } from '../../../shared/evidence/note.ts'
import { PACK, PACK_FORMAT, type PackManifest } from '../../../shared/exports/pack.ts'
import { canonicalJson } from '../../../shared/lib/canonical-json.ts'
import { sha256Hex } from '../../../shared/lib/hash.ts'

export type Pack = Map<string, string>

export const CHAIN = 'ten_01/live'
export const SIZES = [5, 12] as const
const SALT = Buffer.alloc(32, 7)

export const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
export type Pair = ReturnType<typeof keyPair>

export type SampleOptions = {
  pair?: Pair
  chain?: string
  /** Where the range begins: 0 or the size of a checkpoint. */
  from?: 0 | 5
  /** What the header of a sequence says besides its usual members. */
  extra?: (sequence: number) => object
}

export function samplePack({
  pair = keyPair(),
  chain = CHAIN,
  from = 0,
  extra = () => ({}),
}: SampleOptions = {}): Pack {
  const spki = pair.publicKey.export({ format: 'der', type: 'spki' })
  const genesis = {
    chain,
    created_at: '2026-11-20T00:00:00.000Z',
    key_spki_sha256: sha256Hex(spki),
    origin: 'log.example',
  }
  const key = noteKey(`${genesis.origin}/${chain}`, spki)
  const note = (size: number, frontier: Frontier) => {
    const text = checkpointText({ origin: key.name, size, root: rootOf(frontier) })
    return signedNote(text, [{ key, signature: sign('sha256', Buffer.from(text), pair.privateKey) }])
  }
  let [previous, frontier]: [Buffer, Frontier] = [genesisLink(genesis), []]
  let start: PackManifest['start'] = { size: 0, link: hex(previous), frontier: [] }
  const [artifacts, payloads, pack]: [string[], string[], Pack] = [[], [], new Map()]
  for (let sequence = 0; sequence < SIZES[1]; sequence += 1) {
    const payload = { number: sequence }
    const header = canonicalJson({
      v: 1,
      artifact_id: `art_${String(sequence).padStart(2, '0')}`,
      chain,
      ...(sequence % 3 === 0 && { payload_commitment: hex(payloadCommitment(SALT, payload)) }),
      ...extra(sequence),
    })
    previous = link(chain, sequence, previous, artifactHash(header))
    frontier = append(frontier, sequence, leafHash(previous))
    const size = sequence + 1
    if (size > from) artifacts.push(`${hex(previous)} ${header}\n`)
    if (size > from && sequence % 3 === 0)
      payloads.push(
        `${canonicalJson({ artifact_id: `art_${String(sequence).padStart(2, '0')}`, salt: hex(SALT), payload })}\n`,
      )
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
    generated_at: '2026-11-20T12:00:00.000Z',
  }
  pack.set(PACK.manifest, JSON.stringify(manifest))
  return listFiles(pack)
}

export const manifestOf = (pack: Pack): PackManifest => JSON.parse(pack.get(PACK.manifest) ?? '{}')

/** Changes the manifest, which nobody signs. */
export function editManifest(pack: Pack, edit: (manifest: PackManifest) => Partial<PackManifest>): Pack {
  const manifest = manifestOf(pack)
  return new Map(pack).set(PACK.manifest, JSON.stringify({ ...manifest, ...edit(manifest) }))
}

/** Lists every file with its present hash: what a forger does last. */
export const listFiles = (pack: Pack): Pack =>
  editManifest(pack, () => ({
    files: [...pack].flatMap(([path, text]) =>
      path === PACK.manifest
        ? []
        : [{ path, sha256: sha256Hex(text), bytes: Buffer.byteLength(text), rows: text.split('\n').length - 1 }],
    ),
  }))

/** Changes the lines of a file and hides it from the file hashes. */
export function editLines(pack: Pack, path: string, edit: (lines: string[]) => string[]): Pack {
  const lines = (pack.get(path) ?? '').split('\n').slice(0, -1)
  return listFiles(
    new Map(pack).set(
      path,
      edit(lines)
        .map((line) => `${line}\n`)
        .join(''),
    ),
  )
}

export async function* contentOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += 100) yield bytes.subarray(from, from + 100)
}
