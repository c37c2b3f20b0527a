// Writes an export pack (evidence.md, section 9) into an archive, without ever holding more than a few blocks of it.
import { readFile } from 'node:fs/promises'
import type { Context } from '../context.ts'
import { headKey, heads } from '../evidence/chain.ts'
import { objectKey, readAnchor } from '../evidence/checkpoint-store.ts'
import { chainName, type Genesis, hex } from '../evidence/hashes.ts'
import { verifierKey } from '../evidence/note.ts'
import { genesisStart, readGenesis, type WalkStart } from '../evidence/read-chain.ts'
import { type Signers, signersOf } from '../evidence/signers.ts'
import { iso } from '../lib/clock.ts'
import { env } from '../lib/env.ts'
import { invalid } from '../lib/failure.ts'
import type { PackAsk } from './export.ts'
import { artifactLine, PACK, PACK_FORMAT, type PackFile, type PackManifest } from './pack.ts'
import { checkpointsOf, rangeOf, type PackRange } from './pack-range.ts'
import { payloadLines } from './pack-payloads.ts'
import { readme } from './pack-readme.ts'
import { type Position, readRange } from './read-range.ts'
import type { Content, ZipWriter } from './zip.ts'

const ARTIFACTS_MAX = 1_000_000
const CHECKPOINTS_MAX = 500

/** Answers the number of artifacts. `at` (ms) is the time that the pack carries. */
export async function writePack(ctx: Context, zip: ZipWriter, ask: PackAsk, at: number): Promise<number> {
  const head = await ctx.table.get(heads, headKey(ctx.space))
  const range = await rangeOf(ctx, head?.size ?? 0, ask)
  if (range.to - range.from > ARTIFACTS_MAX) throw invalid([], `the range holds more than ${ARTIFACTS_MAX} artifacts`)
  const genesis = await readGenesis(ctx)
  const signers = await signersOf(ctx, genesis)
  const start = await startOf(ctx, { genesis, signers }, range)
  const files: PackFile[] = []
  const add = async (path: string, content: Content) => files.push({ path, ...(await zip.add(path, content)) })
  const positions = () => readRange(ctx, range, start.block)

  await add(PACK.artifacts, artifactLines(positions()))
  if (ask.include_payloads)
    await add(
      PACK.payloads,
      ndjson(positions(), (some) => payloadLines(ctx, some)),
    )
  const checkpoints = (await checkpointsOf(ctx, range, CHECKPOINTS_MAX)).map(({ size, note }) => ({
    path: PACK.checkpoint(size),
    size,
    note,
  }))
  for (const { path, note } of checkpoints) await add(path, [note])
  await add(PACK.verifier, [await readFile(env('VERIFIER_FILE'), 'utf8')])
  const manifest = { ...factsOf(ctx, genesis, signers), range, start: shown(start), generated_at: iso(at) }
  await add(PACK.readme, [readme(manifest)])
  const complete: PackManifest = { ...manifest, checkpoints: checkpoints.map(({ note: _, ...rest }) => rest), files }
  await zip.add(PACK.manifest, [`${JSON.stringify(complete, null, 2)}\n`])
  return range.to - range.from
}

type Origin = { genesis: Genesis; signers: Signers }

/** The signed state of the chain before the range, read from where nobody can change it. */
async function startOf(ctx: Context, { genesis, signers }: Origin, { from }: PackRange): Promise<WalkStart> {
  if (from === 0) return genesisStart(genesis)
  const anchor = await readAnchor(objectKey(ctx.space, from), signers)
  if (!anchor) throw new Error(`checkpoint ${from} of ${chainName(ctx.space)} is missing or not signed by us`)
  return anchor
}

const shown = ({ size, link, frontier }: WalkStart) => ({ size, link: hex(link), frontier: frontier.map(hex) })

type Facts = Pick<PackManifest, 'format' | 'chain' | 'genesis' | 'verifier_keys'>

function factsOf(ctx: Context, { chain, created_at, key_spki_sha256, origin }: Genesis, { known }: Signers): Facts {
  return {
    format: PACK_FORMAT,
    chain: chainName(ctx.space),
    genesis: { chain, created_at, key_spki_sha256, origin },
    verifier_keys: known.map(({ key, spki, fromSize }) => ({
      verifier_key: verifierKey(key),
      spki: Buffer.from(spki).toString('base64'),
      from_size: fromSize,
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
