// The offline verifier (evidence.md, section 9): recomputes a run of the chain from the files of a pack and holds it
// against the signed checkpoints. It reads nothing else and believes nothing that it cannot recompute, except, where no key
// is pinned, that the key in the pack is the right one.
import { canonicalJson } from '../lib/canonical-json.ts'
import { sameBytes } from '../lib/hash.ts'
import { ChainWalk, readHeader } from '../evidence/chain-walk.ts'
import { genesisLink, hex, payloadCommitment } from '../evidence/hashes.ts'
import { PACK, type PackManifest, readArtifactLine } from './pack.ts'
import { measure, type OpenFile, readLines, readText } from './pack-reader.ts'
import { readManifest, readPayloadLine, Unreadable } from './pack-shape.ts'
import { Report } from './verify-report.ts'
import { readCheckpoints, type SignedRoot } from './verify-signatures.ts'

export type VerifyOptions = {
  /** Verifier keys to trust instead of the pack's own. */
  pinned?: readonly string[]
  /** Also re-canonicalises every header. */
  strict?: boolean
}

export type Verdict = Awaited<ReturnType<typeof verifyPack>>

/** Throws `Unreadable` when a part is missing or no verdict is possible. */
export async function verifyPack(files: OpenFile, { pinned = [], strict = false }: VerifyOptions = {}) {
  const manifest = readManifest(await readText(files, PACK.manifest))
  const report = new Report()
  const signed = await readCheckpoints(files, manifest, pinned, report)
  const commitments = new Map<string, string>()
  const artifacts = await walkArtifacts(files, { manifest, signed, strict, commitments, report })
  if (files(PACK.payloads)) await checkPayloads(files, commitments, report)
  await checkFiles(files, manifest, report)
  const { range, chain } = manifest
  const valid = report.broken.length === 0
  if (valid && report.checkpoints.verified === 0 && range.to > 0)
    throw new Unreadable('no checkpoint vouches for this range')
  return {
    valid,
    chain,
    ...range,
    artifacts,
    broken: report.broken,
    checkpoints: report.checkpoints,
    anchored_through: report.anchoredThrough,
    unanchored: Math.max(0, range.to - Math.max(range.from, report.anchoredThrough)),
    payloads: report.payloads,
    key_source: pinned.length > 0 ? ('pinned' as const) : ('pack' as const),
  }
}

type Walking = {
  manifest: PackManifest
  signed: readonly SignedRoot[]
  strict: boolean
  /** Filled with the payload commitment of each artifact that has one. */
  commitments: Map<string, string>
  report: Report
}

/** Answers how many artifacts there are. */
async function walkArtifacts(files: OpenFile, { manifest, signed, strict, commitments, report }: Walking) {
  const { range, chain } = manifest
  const walk = beginWalk(manifest, report)
  const roots = new Map(signed.map((checkpoint) => [checkpoint.size, checkpoint.root]))
  const meet = () => {
    const root = roots.get(walk.size)
    if (!root) return
    roots.delete(walk.size)
    if (walk.hasRoot(root)) report.passCheckpoint(walk.size)
    else report.failCheckpoint(walk.size, 'root')
  }
  meet()
  const opened = files(PACK.payloads) !== undefined
  const follow = (line: string) => {
    const parts = readArtifactLine(line)
    const read = parts && readHeader(parts.header)
    const artifact_id = typeof read?.artifact_id === 'string' ? read.artifact_id : null
    if (artifact_id === null) walk.report(null, 'content')
    else if (strict && canonicalJson(read) !== parts?.header) report.add(walk.size, artifact_id, 'not_canonical')
    const ch = parts && Buffer.from(parts.link, 'hex')
    walk.follow({ artifact_id, header: parts?.header ?? line, read, ch })
    if (opened && read?.payload_commitment && artifact_id) commitments.set(artifact_id, read.payload_commitment)
    meet()
  }
  for await (const lines of readLines(files, PACK.artifacts)) lines.forEach(follow)
  for (const size of roots.keys()) report.failCheckpoint(size, 'root')
  if (walk.size !== range.to || chain !== manifest.genesis.chain) walk.report(null, 'position')
  report.broken.push(...walk.findings)
  return walk.size - range.from
}

/** From the genesis, or from the frontier that the pack gives: a forged one cannot meet the signed root at the end. */
function beginWalk({ chain, genesis, range, start }: PackManifest, report: Report): ChainWalk {
  const link = Buffer.from(start.link, 'hex')
  const ones = start.size.toString(2).replaceAll('0', '').length
  if (start.size !== range.from || start.frontier.length !== ones) throw new Unreadable('the start is not of its size')
  if (start.size === 0 && !sameBytes(link, genesisLink(genesis))) report.add(0, null, 'link')
  return new ChainWalk(chain, {
    size: start.size,
    link,
    frontier: start.frontier.map((one) => Buffer.from(one, 'hex')),
  })
}

/** Every payload in the pack must be the one that its artifact committed to. */
async function checkPayloads(files: OpenFile, commitments: ReadonlyMap<string, string>, report: Report) {
  const check = (line: string) => {
    const read = readPayloadLine(line)
    const expected = read && commitments.get(read.artifact_id)
    if (read && 'erased' in read && expected) {
      report.payloads.erased += 1
      return
    }
    const opened = read && 'salt' in read ? read : undefined
    if (opened && expected === hex(payloadCommitment(Buffer.from(opened.salt, 'hex'), opened.payload))) {
      report.payloads.verified += 1
    } else {
      report.payloads.mismatched += 1
      report.add(null, read?.artifact_id ?? null, 'payload')
    }
  }
  for await (const lines of readLines(files, PACK.payloads)) lines.forEach(check)
}

/** Every file is the one that the manifest lists, and each part that must be listed is. */
async function checkFiles(files: OpenFile, manifest: PackManifest, report: Report) {
  const listed = new Set(manifest.files.map(({ path }) => path))
  const parts = [
    PACK.artifacts,
    ...(files(PACK.payloads) ? [PACK.payloads] : []),
    ...manifest.checkpoints.map(({ path }) => path),
  ]
  for (const path of parts) if (!listed.has(path)) report.addFile(path, 'file_hash')
  for (const { path, sha256, bytes, rows } of manifest.files) {
    const found = await measure(files, path)
    if (found.sha256 !== sha256 || found.bytes !== bytes || found.rows !== rows) report.addFile(path, 'file_hash')
  }
}
