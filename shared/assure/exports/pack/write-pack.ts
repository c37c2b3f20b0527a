// Writes an export pack (shared/ledger/evidence/FORMAT.md) to an archive, with only a few blocks in memory. The same plan gives
// the same pack, unless something in it was changed or erased meanwhile.
import { readFile } from 'node:fs/promises'
import type { Context } from '../../../base/context.ts'
import { hex } from '../../../ledger/evidence/artifact/hashes.ts'
import type { WalkStart } from '../../../ledger/evidence/chain/read-chain.ts'
import { iso } from '../../../base/lib/clock.ts'
import { env } from '../../../base/lib/runtime.ts'
import { Failure, invalid } from '../../../base/lib/failure.ts'
import type { PackAsk, PackPlan } from '../export.ts'
import { artifactLine, PACK, PACK_FORMAT, type PackFile, type PackManifest, type PackPayload } from './pack.ts'
import { logFacts, originOf, signedState } from './log.ts'
import { checkpointsOf, type PackRange, type Position, rangeOf, readRange } from './range.ts'
import type { Content, Measured, ZipWriter } from './zip.ts'
import { executions } from '../../../govern/executions/execution.ts'
import { openSealed } from '../../../govern/executions/sealed/open-execution.ts'
import { readHeader } from '../../../ledger/evidence/artifact/referenced-artifacts.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'
import { findArtifact } from '../../../ledger/evidence/artifact/view.ts'
import { provenArtifact } from '../../../ledger/evidence/checkpoint/prove.ts'

export const ARTIFACTS_MAX = 1_000_000
const CHECKPOINTS_MAX = 500

/** The plan of a pack that is requested now, from the first `size` artifacts of the chain. */
export async function planPack(ctx: Context, ask: PackAsk, size: number): Promise<PackPlan> {
  const range = await rangeOf(ctx, size, ask)
  if (range.to - range.from > ARTIFACTS_MAX) throw invalid([], `must not cover more than ${ARTIFACTS_MAX} artifacts`)
  return { ...range, include_payloads: ask.include_payloads, at: ctx.now() }
}

type PackOptions = {
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

const AT_ONCE = 8

type Committed = Pick<Position, 'artifact_id' | 'erased_by'> & { request_id: string }

/** The lines of payloads.ndjson for some positions, in their order. A payload that was lost without an erasure has no line. */
async function payloadLines(ctx: Context, positions: readonly Position[]): Promise<PackPayload[]> {
  const committed = positions.flatMap(commitmentOf)
  const ids = [...new Set(committed.map(({ request_id }) => request_id))]
  const found = await ctx.table.getAll(
    executions,
    ids.map((id) => ({ ...ctx.space, id })),
  )
  const opened = await inParallel(AT_ONCE, found, (execution) => openSealed(ctx, execution))
  const payloads = new Map(opened.map(({ execution, opened: { payload }, salt }) => [execution.id, { payload, salt }]))
  return committed.flatMap(({ artifact_id, request_id, erased_by }): PackPayload[] => {
    if (erased_by !== undefined) return [{ artifact_id, erased_by }]
    const { payload, salt } = payloads.get(request_id) ?? {}
    return payload && salt ? [{ artifact_id, salt: hex(salt), payload }] : []
  })
}

function commitmentOf({ artifact_id, header, erased_by }: Position): Committed[] {
  // A damaged header has no commitment to open. The verifier reports it.
  const { request_id, payload_commitment } = readHeader(header) ?? {}
  return request_id !== undefined && payload_commitment !== undefined ? [{ artifact_id, request_id, erased_by }] : []
}

/**
 * Passes positions through and adds the erasures that they name to `named`. Those within the range are in the pack anyway; each
 * of the others needs a proof that the chain holds it.
 */
async function* erasuresNamed(blocks: AsyncIterable<Position[]>, named: Set<string>) {
  for await (const block of blocks) {
    for (const { erased_by } of block) if (erased_by !== undefined) named.add(erased_by)
    yield block
  }
}

async function erasureLines(ctx: Context, named: ReadonlySet<string>, range: PackRange): Promise<string[]> {
  const lines = await inParallel(AT_ONCE, [...named].toSorted(), (id) => lineOf(ctx, id, range))
  return lines.flatMap((line) => (line ? [`${JSON.stringify(line)}\n`] : []))
}

/** Undefined within the range. Also for an artifact that is missing or not signed yet; the verifier then reports the erasure. */
async function lineOf(ctx: Context, id: string, { from, to }: PackRange) {
  try {
    const { seq = -1 } = await findArtifact(ctx, id)
    return seq >= from && seq < to ? undefined : await provenArtifact(ctx, id)
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'conflict' || error.kind === 'not_found')) return undefined
    throw error
  }
}

/** The README of a pack, for the person who opens it. */
const readme = ({
  chain,
  range: { from, to },
  generated_at,
  verifier_keys,
}: Pick<PackManifest, 'chain' | 'range' | 'generated_at' | 'verifier_keys'>): string => `Evidence of ${chain}
Artifacts ${from} to ${to - 1} of its chain, exported ${generated_at}.

To check it you need Node 20 or newer, no network and no account:

  node verify.mjs .
  node verify.mjs . --strict
  node verify.mjs .${verifier_keys.map(({ verifier_key }) => ` --vkey '${verifier_key}'`).join('')}

Unpack into an empty folder: the verifier refuses files that the pack does not list. Take the key of the
third command from a source that you trust, not from this file. A key from the pack proves nothing about
the maker of the pack, who could have made the key as well. Several keys mean that the log changed its key;
the old and the new key both signed each change, so one key that you trust is enough. For the same reason,
prefer a verifier of your own, or one that you have kept, to the one in the pack. FORMAT.md describes how
to write one.

If you hold an older checkpoint of this log, or know how many artifacts it had, compare the pack with that:
--checkpoint <file>, --min-size <number>. The log proves the time under "made" in the report, so nobody can
give an older pack a later time.

A verdict of "valid" (exit status 0) proves that nothing in this range was changed, removed, inserted or
reordered since it was signed. "valid_up_to" (3) proves the same up to the stated number; the artifacts
after it are linked, but not yet signed. Neither verdict proves that the recorded facts are true, or that
everything that happened was recorded.

The payloads, if included, are those that the artifacts committed to when they were made. A payload that
was erased since then is not in the pack. An artifact of the log proves its erasure.
`
