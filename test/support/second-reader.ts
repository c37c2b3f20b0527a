// Reads an export pack from its first artifact on, by the words of the format alone: no code of the service, the whole tree
// instead of its frontier, and another order of things. Answers what it disagrees with.
import { createHash, verify } from 'node:crypto'

type Note = { size: number; origin: string; root: string; text: string; signature: Buffer }

const sha = (...parts: (string | Uint8Array)[]) =>
  parts.reduce((digest, part) => digest.update(part), createHash('sha256')).digest()
const big = (number: number) => Buffer.from(number.toString(16).padStart(16, '0'), 'hex')

/** RFC 8785 for what a payload may hold. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value) || typeof value !== 'object' || value === null
    ? Array.isArray(value)
      ? value.map(sorted)
      : value
    : Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([k, v]) => [k, sorted(v)]),
      )

function treeHash(leaves: Buffer[]): Buffer {
  if (leaves.length < 2) return sha(Buffer.of(0), leaves[0] ?? '')
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  return sha(Buffer.of(1), treeHash(leaves.slice(0, half)), treeHash(leaves.slice(half)))
}

function readNote(note: string): Note {
  const [text = '', signatures = ''] = note.split('\n\n')
  const [origin = '', size, root = ''] = text.split('\n')
  const signature = Buffer.from(signatures.trim().split(' ')[2] ?? '', 'base64').subarray(4)
  return { size: Number(size), origin, root, text: `${text}\n`, signature }
}

export function disagreements(files: ReadonlyMap<string, string>): string[] {
  const manifest = JSON.parse(files.get('manifest.json') ?? '')
  const { chain, genesis, verifier_keys, checkpoints } = manifest
  const lines = (path: string) => (files.get(path) ?? '').split('\n').filter((line) => line !== '')
  const found: string[] = []
  let link = sha('gov.evidence/v1/genesis\n', JSON.stringify(sorted(genesis)))
  const commitments = new Map<string, string>()
  const links = lines('artifacts.ndjson').map((line, index) => {
    const header = line.slice(65)
    const { artifact_id, payload_commitment } = JSON.parse(header)
    commitments.set(artifact_id, payload_commitment)
    link = sha(`gov.evidence/v1/link\n${chain}\n`, big(index), link, sha(`\0gov.evidence/v1/artifact\n${header}`))
    if (link.toString('hex') !== line.slice(0, 64)) found.push(`artifact ${index}`)
    return link
  })
  const key = { key: Buffer.from(verifier_keys[0].spki, 'base64'), format: 'der', type: 'spki' } as const
  for (const { path } of checkpoints) {
    const { size, origin, root, text, signature } = readNote(files.get(path) ?? '')
    const named = origin === `${genesis.origin}/${chain}`
    const holds = treeHash(links.slice(0, size)).toString('base64') === root && size <= links.length
    if (!named || !holds || !verify('sha256', Buffer.from(text), key, signature)) found.push(path)
  }
  for (const line of lines('payloads.ndjson')) {
    const { artifact_id, salt, payload, erased_by } = JSON.parse(line)
    const computed = sha(
      'gov.evidence/v1/payload\n',
      Buffer.from(salt ?? '', 'hex'),
      JSON.stringify(sorted(payload)) ?? '',
    )
    if (!erased_by && computed.toString('hex') !== commitments.get(artifact_id)) found.push(`payload ${artifact_id}`)
  }
  if (!holdsHash(files, key)) found.push('manifest.proof.json')
  return found
}

/** The log holds an artifact with the hash of the manifest. */
function holdsHash(files: ReadonlyMap<string, string>, key: { key: Buffer; format: 'der'; type: 'spki' }): boolean {
  const { chain } = JSON.parse(files.get('manifest.json') ?? '')
  const { header, previous, proof } = JSON.parse(files.get('manifest.proof.json') ?? '')
  const border = String(proof).indexOf('\n\n')
  const [, index = '', ...path] = String(proof).slice(0, border).split('\n')
  const { size, root, text, signature } = readNote(String(proof).slice(border + 2))
  const at = Number(index.split(' ')[1])
  const before = Buffer.from(String(previous), 'hex')
  const own = sha(`gov.evidence/v1/link\n${chain}\n`, big(at), before, sha(`\0gov.evidence/v1/artifact\n${header}`))
  const computed = rootBy(path, sha(Buffer.of(0), own), at, size).toString('base64')
  const named = JSON.parse(header).data.manifest_sha256 === sha(files.get('manifest.json') ?? '').toString('hex')
  return named && computed === root && verify('sha256', Buffer.from(text), key, signature)
}

/** The root to which a leaf and its path lead, by halving the tree as RFC 6962 does. */
function rootBy(path: string[], leaf: Buffer, at: number, size: number): Buffer {
  if (size === 1) return leaf
  let half = 1
  while (half * 2 < size) half *= 2
  const sibling = Buffer.from(path.at(-1) ?? '', 'base64')
  const rest = path.slice(0, -1)
  return at < half
    ? sha(Buffer.of(1), rootBy(rest, leaf, at, half), sibling)
    : sha(Buffer.of(1), sibling, rootBy(rest, leaf, at - half, size - half))
}
