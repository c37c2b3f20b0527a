// `npm run bench -- verify`: CPU of verifying artifacts, and what the endpoint takes on chains of 100 to 1,000,000 in
// virtual time and CPU. Of long chains only what lies behind the newest checkpoint is put into the table: the endpoint
// reads nothing else, or this benchmark fails.
import type { Context } from '../../shared/base/context.ts'
import { blockKey } from '../../shared/ledger/evidence/chain/chain.ts'
import { ChainWalk } from '../../shared/ledger/evidence/verify/chain-walk.ts'
import { chainName, type Genesis, genesisLink } from '../../shared/ledger/evidence/artifact/hashes.ts'
import { verifySegment } from '../../shared/ledger/evidence/verify/segment.ts'
import { followBlock } from '../../shared/ledger/evidence/verify/walk-to-head.ts'
import { verifyChain } from '../../shared/ledger/evidence/verify/verify.ts'
import { canonicalJson } from '../../shared/base/lib/json.ts'
import { chainOf, found, SPACE, TAIL } from './sample-chain.ts'
import { cpuSeconds, deploy } from './virtual-time.ts'

const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000]
const SAMPLE = 20_000
const REPETITIONS = 5

/** Artifacts that one CPU second verifies: as verification does it, and with every header written anew as well. */
async function throughput(ctx: Context) {
  const genesis: Genesis = {
    chain: chainName(SPACE),
    origin: 'countersign.example',
    created_at: '',
    key_spki_sha256: '',
  }
  const pieces = [...chainOf(ctx, genesis, SAMPLE)]
  const stored = new Map(pieces.flatMap(({ items }) => items.map((item) => [item.id, item] as const)))
  const recompute = () => {
    const walk = new ChainWalk(chainName(SPACE), { size: 0, link: genesisLink(genesis), frontier: [] })
    for (const { number, block } of pieces) followBlock(walk, number, { ...block, ...blockKey(SPACE, number) }, stored)
    if (walk.size !== SAMPLE || walk.findings.length > 0) throw new Error('the sample does not verify')
  }
  const rewrite = () => {
    recompute()
    for (const { header } of stored.values())
      if (canonicalJson(JSON.parse(header)) !== header) throw new Error('not canonical')
  }
  recompute() // the compiler works on the first round
  const rounds: { recompute: number; rewrite: number }[] = []
  for (let round = 0; round < REPETITIONS; round += 1) {
    rounds.push({ recompute: SAMPLE / (await cpuSeconds(recompute)), rewrite: SAMPLE / (await cpuSeconds(rewrite)) })
  }
  return rounds
}

function spread(values: number[], goal: string) {
  const [min, , median, , max] = values.toSorted((a, b) => a - b).map(Math.round)
  return { min, median, max, goal }
}

/** Virtual milliseconds and CPU milliseconds of one verification, the second in its container. */
async function endpoint(size: number) {
  const made = await deploy(SPACE)
  await made.clock.run(found(made, size, size > 20_000 ? size - 2 * TAIL : 0))
  await made.clock.run(verifyChain(made.ctx, 'api'))
  const began = made.clock.now()
  let result = await made.clock.run(verifyChain(made.ctx, 'api'))
  const virtual = made.clock.now() - began
  const cpu = await cpuSeconds(async () => {
    result = await made.clock.run(verifyChain(made.ctx, 'api'))
  })
  if (!result.chain_valid) throw new Error(`a chain of ${size} does not verify`)
  const { mode, anchored_through, unanchored } = result.verification
  const total = Math.round(virtual + cpu * 1_000)
  return {
    mode,
    anchored_through,
    unanchored,
    'modelled ms': virtual,
    'CPU ms': Math.round(cpu * 1_000),
    'sum ms': total,
    goal: '≤ 1,000',
  }
}

/** One part of a full pass, reading included. */
async function segment() {
  const made = await deploy(SPACE)
  const size = SAMPLE + TAIL
  await made.clock.run(found(made, size, 0))
  const began = made.clock.now()
  const cpu = await cpuSeconds(async () => {
    const { broken } = await made.clock.run(verifySegment(made.ctx, { from: 0, to: SAMPLE }))
    if (broken.length > 0) throw new Error('the segment does not verify')
  })
  return { artifacts: SAMPLE, 'modelled ms': made.clock.now() - began, 'CPU ms': Math.round(cpu * 1_000) }
}

export async function run(args: string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES
  const { ctx } = await deploy(SPACE)
  const rounds = await throughput(ctx)
  console.log(`artifacts verified per CPU second, ${REPETITIONS} rounds of ${SAMPLE}`)
  console.table({
    'content, link, tree': spread(
      rounds.map((round) => round.recompute),
      '≥ 80,000',
    ),
    '… every header canonicalised as well': spread(
      rounds.map((round) => round.rewrite),
      '≥ 40,000',
    ),
  })
  console.log('GET /api/evidence/verify by length of the chain; CPU holds the SDK and the in-memory table')
  const rows: Record<string, Awaited<ReturnType<typeof endpoint>>> = {}
  for (const size of sizes) rows[size.toLocaleString('en')] = await endpoint(size)
  console.table(rows)
  console.log('one segment of a full pass; a chain of 1,000,000 has 20 of 50,000, ten at a time')
  console.table([await segment()])
}
