// The addresses that deliveries come from: fixed ones, or the published ranges of the region where the functions have no
// network of their own.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { Failure } from '../../base/lib/failure.ts'
import { memory } from '../../base/lib/memory.ts'
import { outbound } from '../../base/lib/safe-http.ts'

const PUBLISHED = 'https://ip-ranges.amazonaws.com/ip-ranges.json'
const BYTES_MAX = 16 * 1_048_576

const Published = z.object({
  prefixes: z.array(z.object({ ip_prefix: z.string(), region: z.string(), service: z.string() })),
})

export type Egress = { ip_ranges: string[]; static: boolean; region: string; updated_at: string }

const known = memory<{ egress: Egress; until: number }>()

/** Refreshed daily in each process. Throws 503 when the published list cannot be read. */
export async function egressRanges(ctx: Context): Promise<Egress> {
  const now = ctx.now()
  const region = env('REGION')
  // Receivers on a developer's machine are called by that machine.
  if (process.env.OUTBOUND_ALLOW_CIDRS)
    return { ip_ranges: ['127.0.0.1/32'], static: true, region, updated_at: iso(now) }
  const fixed = process.env.EGRESS_ADDRESSES
  if (fixed)
    return { ip_ranges: fixed.split(',').map((address) => `${address}/32`), static: true, region, updated_at: iso(now) }
  const cached = known.get(region)
  if (cached && cached.until > now) return cached.egress
  const egress = { ip_ranges: await publishedRanges(region), static: false, region, updated_at: iso(now) }
  known.set(region, { egress, until: now + DAY_MS })
  return egress
}

async function publishedRanges(region: string): Promise<string[]> {
  const outcome = await outbound({
    url: PUBLISHED,
    method: 'GET',
    headers: {},
    deadlineMs: 5_000,
    answerBytesMax: BYTES_MAX,
  })
  if (outcome.kind !== 'answer' || outcome.status !== 200 || outcome.body_end !== 'whole') {
    throw new Failure('unavailable', 'The published list of address ranges cannot be read at the moment. Try again.', {
      retryAfterSeconds: 1,
    })
  }
  const { prefixes } = Published.parse(JSON.parse(outcome.body.toString()))
  const ours = prefixes.filter((prefix) => prefix.region === region && prefix.service === 'EC2')
  return ours.map(({ ip_prefix }) => ip_prefix).toSorted()
}
