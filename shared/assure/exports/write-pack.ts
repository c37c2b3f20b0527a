// Writes an export pack (shared/ledger/evidence/FORMAT.md) to an archive, with only a few blocks in memory. The same plan gives
// the same pack, unless something in it was changed or erased meanwhile.
import { readFile } from 'node:fs/promises'
import type { Context } from '../../base/context.ts'
import { hex } from '../../ledger/evidence/artifact/hashes.ts'
import type { WalkStart } from '../../ledger/evidence/chain/read-chain.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/env.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { PackAsk, PackPlan } from './export.ts'
import { artifactLine, PACK, PACK_FORMAT, type PackFile, type PackManifest } from './pack.ts'
import { erasureLines, erasuresNamed } from './pack-erasures.ts'
import { logFacts, originOf, signedState } from './pack-log.ts'
import { checkpointsOf, rangeOf } from './pack-range.ts'
import { payloadLines } from './pack-payloads.ts'
import { readme } from './pack-readme.ts'
import { type Position, readRange } from './read-range.ts'
import type { Content, Measured, ZipWriter } from './zip.ts'

export const ARTIFACTS_MAX = 1_000_000
const CHECKPOINTS_MAX = 500

/** The plan of a pack that is requested now, from the first `size` artifacts of the chain. */
export async function planPack(ctx: Context, ask: PackAsk, size: number): Promise<PackPlan> {
  const range = await rangeOf(ctx, size, ask)
  if (range.to - range.from > ARTIFACTS_MAX) throw invalid([], `must not cover more than ${ARTIFACTS_MAX} artifacts`)
  return { ...range, include_payloads: ask.include_payloads, at: ctx.now() }
}

export type PackOptions = {
  /** Put before the path of each file. */
  folder?: string
  /** Called with the artifacts of the range, once each and in their order. */
  see?: (positions: readonly Position[]) => Promise<void>
}

/** Writes everything except the proof of the manifest, whose measures it returns. */
export async function writePack(
  ctx: Context,
  zip: Pick<ZipWriter, 'add'>,
  plan: PackPlan,
  { folder = '', see }: PackOptions = {},
): Promise<Measured> {
  const { include_payloads, at, from, to } = plan
  const range = { from, to }
  const origin = await originOf(ctx)
  const start = await signedState(ctx, origin, from)
  const files: PackFile[] = []
  const add = async (path: string, content: Content) =>
    files.push({ path, ...(await zip.add(`${folder}${path}`, content)) })
  const positions = () => readRange(ctx, range, start.block)
  const asset = (path: string, name: string) => readFile(env(name), 'utf8').then((text) => add(path, [text]))

  await add(PACK.artifacts, artifactLines(positions(), see))
  if (include_payloads) {
    const named = new Set<string>()
    const lines = erasuresNamed(positions(), named)
    await add(
      PACK.payloads,
      ndjson(lines, (some) => payloadLines(ctx, some)),
    )
    await add(PACK.erasures, [(await erasureLines(ctx, named, range)).join('')])
  }
  const checkpoints = await checkpointsOf(ctx, origin.signers, range, CHECKPOINTS_MAX)
  for (const { size, note } of checkpoints) await add(PACK.checkpoint(size), [note])
  await asset(PACK.verifier, 'VERIFIER_FILE')
  await asset(PACK.format, 'FORMAT_FILE')
  const manifest = {
    ...logFacts(ctx, origin),
    range,
    start: encoded(start),
    generated_at: iso(at),
  }
  await add(PACK.readme, [readme(manifest)])
  const listed = checkpoints.map(({ size }) => ({ path: PACK.checkpoint(size), size }))
  const complete: PackManifest = { format: PACK_FORMAT, ...manifest, checkpoints: listed, files }
  return zip.add(`${folder}${PACK.manifest}`, [`${JSON.stringify(complete, null, 2)}\n`])
}

const encoded = ({ size, link, frontier }: WalkStart) => ({ size, link: hex(link), frontier: frontier.map(hex) })

async function* artifactLines(blocks: AsyncIterable<Position[]>, see: PackOptions['see']): AsyncGenerator<string> {
  for await (const block of blocks) {
    await see?.(block)
    yield block.map(({ link, header }) => `${artifactLine(hex(link), header)}\n`).join('')
  }
}

async function* ndjson(blocks: AsyncIterable<Position[]>, linesOf: (some: Position[]) => Promise<object[]>) {
  for await (const block of blocks) {
    yield (await linesOf(block)).map((line) => `${JSON.stringify(line)}\n`).join('')
  }
}
