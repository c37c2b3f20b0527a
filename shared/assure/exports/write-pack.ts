// Writes an export pack (shared/ledger/evidence/FORMAT.md) to an archive, with only a few blocks in memory. The same plan gives
// the same pack, unless something in it was changed or erased meanwhile.
import { readFile } from 'node:fs/promises'
import type { Context } from '../../base/context.ts'
import { objectKey, readAnchor } from '../../ledger/evidence/checkpoint/checkpoint-store.ts'
import { chainName, type Genesis, hex } from '../../ledger/evidence/artifact/hashes.ts'
import { verifierKey } from '../../ledger/evidence/checkpoint/note.ts'
import { genesisStart, readGenesis, type WalkStart } from '../../ledger/evidence/chain/read-chain.ts'
import { type Signers, signersOf } from '../../ledger/evidence/checkpoint/signers.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/env.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { PackAsk, PackPlan } from './export.ts'
import { artifactLine, PACK, PACK_FORMAT, type PackFile, type PackManifest } from './pack.ts'
import { erasureLines, erasuresNamed } from './pack-erasures.ts'
import { checkpointsOf, rangeOf, type PackRange } from './pack-range.ts'
import { payloadLines } from './pack-payloads.ts'
import { readme } from './pack-readme.ts'
import { type Position, readRange } from './read-range.ts'
import type { Content, ZipWriter } from './zip.ts'

const ARTIFACTS_MAX = 1_000_000
const CHECKPOINTS_MAX = 500

/** The plan of a pack that is requested now, from the first `size` artifacts of the chain. */
export async function planPack(ctx: Context, ask: PackAsk, size: number): Promise<PackPlan> {
  const range = await rangeOf(ctx, size, ask)
  if (range.to - range.from > ARTIFACTS_MAX) throw invalid([], `must not cover more than ${ARTIFACTS_MAX} artifacts`)
  return { ...range, include_payloads: ask.include_payloads, at: ctx.now() }
}

/** Writes everything except the proof of the manifest. Returns the hash of the manifest. */
export async function writePack(ctx: Context, zip: ZipWriter, plan: PackPlan): Promise<{ sha256: string }> {
  const { include_payloads, at, from, to } = plan
  const range = { from, to }
  const genesis = await readGenesis(ctx)
  const signers = await signersOf(ctx, genesis)
  const start = await startOf(ctx, { genesis, signers }, range)
  const files: PackFile[] = []
  const add = async (path: string, content: Content) => files.push({ path, ...(await zip.add(path, content)) })
  const positions = () => readRange(ctx, range, start.block)
  const asset = (path: string, name: string) => readFile(env(name), 'utf8').then((text) => add(path, [text]))

  await add(PACK.artifacts, artifactLines(positions()))
  if (include_payloads) {
    const named = new Set<string>()
    const lines = erasuresNamed(positions(), named)
    await add(
      PACK.payloads,
      ndjson(lines, (some) => payloadLines(ctx, some)),
    )
    await add(PACK.erasures, [(await erasureLines(ctx, named, range)).join('')])
  }
  const checkpoints = await checkpointsOf(ctx, signers, range, CHECKPOINTS_MAX)
  for (const { size, note } of checkpoints) await add(PACK.checkpoint(size), [note])
  await asset(PACK.verifier, 'VERIFIER_FILE')
  await asset(PACK.format, 'FORMAT_FILE')
  const manifest = { ...factsOf(ctx, genesis, signers), range, start: encoded(start), generated_at: iso(at) }
  await add(PACK.readme, [readme(manifest)])
  const listed = checkpoints.map(({ size }) => ({ path: PACK.checkpoint(size), size }))
  const complete: PackManifest = { ...manifest, checkpoints: listed, files }
  return zip.add(PACK.manifest, [`${JSON.stringify(complete, null, 2)}\n`])
}

type Origin = { genesis: Genesis; signers: Signers }

/** The signed state of the chain before the range, from the bucket with Object Lock, where nobody can change it. */
async function startOf(ctx: Context, { genesis, signers }: Origin, { from }: PackRange): Promise<WalkStart> {
  if (from === 0) return genesisStart(genesis)
  const anchor = await readAnchor(objectKey(ctx.space, from), signers)
  if (!anchor) throw new Error(`checkpoint ${from} of ${chainName(ctx.space)} is missing or not signed by us`)
  return anchor
}

const encoded = ({ size, link, frontier }: WalkStart) => ({ size, link: hex(link), frontier: frontier.map(hex) })

type Facts = Pick<PackManifest, 'format' | 'chain' | 'genesis' | 'verifier_keys'>

function factsOf(ctx: Context, { chain, created_at, key_spki_sha256, origin }: Genesis, { known }: Signers): Facts {
  return {
    format: PACK_FORMAT,
    chain: chainName(ctx.space),
    genesis: { chain, created_at, key_spki_sha256, origin },
    verifier_keys: known.map(({ key, spki, fromSize, succession }) => ({
      verifier_key: verifierKey(key),
      spki: Buffer.from(spki).toString('base64'),
      from_size: fromSize,
      succession,
    })),
  }
}

async function* artifactLines(blocks: AsyncIterable<Position[]>): AsyncGenerator<string> {
  for await (const block of blocks) {
    yield block.map(({ link, header }) => `${artifactLine(hex(link), header)}\n`).join('')
  }
}

async function* ndjson(blocks: AsyncIterable<Position[]>, linesOf: (some: Position[]) => Promise<object[]>) {
  for await (const block of blocks) {
    yield (await linesOf(block)).map((line) => `${JSON.stringify(line)}\n`).join('')
  }
}
