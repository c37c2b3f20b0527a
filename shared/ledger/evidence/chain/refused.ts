// Forged artifacts: announced, but not recorded by the service. They get no position. They are set aside as evidence of the
// attempt, and the tenant is notified.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { sha256Hex } from '../../../base/lib/json.ts'
import { alarm } from '../../../base/lib/log.ts'
import { entity, type Key, type Write } from '../../../base/table/entity.ts'
import { retryWhenChanged } from '../../../base/kernel/retry.ts'
import { type Detected, reportViolation } from '../../violations/violation.ts'
import { artifactIdOf, pointers } from '../artifact/artifact.ts'
import { commitWith } from '../artifact/record.ts'
import { chainKey, type Finding } from './chain.ts'
import { chainName } from '../artifact/hashes.ts'
import { idPattern } from '../../../base/lib/ids.ts'

/** Two writes each, in a transaction of at most 100. */
const AT_ONCE = 40
const SHOWN_MAX = 20
const NAME_MAX = 64

const RefusedArtifact = z.object({
  pk: z.string(),
  sk: z.string(),
  artifact_id: z.string().describe('Id of the artifact.'),
  refused_at: z.string().describe('When it was refused.'),
})

const refusedArtifacts = entity({
  name: 'REFUSED',
  unbound: 'bounded',
  schema: RefusedArtifact,
  key: ({ pk, sk }: Key): Key => ({ pk, sk }),
})

const PREFIX = 'R#'
/** Limits the length of a key, because its forger chose it. */
const refusedKey = (space: Space, { pk, sk }: Key): Key => ({
  pk: chainKey(space),
  sk: `${PREFIX}${sha256Hex(`${pk}\n${sk}`)}`,
})
const nameOf = ({ sk }: Key): string => artifactIdOf(sk).slice(0, NAME_MAX)

/**
 * Removes the pointers of these keys from the queue, stores each as refused, and opens the violation of a broken chain, all in
 * one transaction for each batch. Idempotent: a batch that was stored before changes nothing.
 */
export async function setAsideForged(ctx: Context, forged: readonly Key[]): Promise<void> {
  for (let from = 0; from < forged.length; from += AT_ONCE) await setAsideBatch(ctx, forged.slice(from, from + AT_ONCE))
}

async function setAsideBatch(ctx: Context, forged: readonly Key[]): Promise<void> {
  const chain = chainName(ctx.space)
  const named = forged.map((key) => ({ artifact_id: nameOf(key) }))
  for (const { artifact_id } of named) {
    alarm('evidence.artifact_refused', new Error('the service did not record the announced artifact'), {
      chain,
      artifact_id,
    })
  }
  await retryWhenChanged(async () => {
    const violation = await reportViolation(ctx, brokenChain(named))
    const evidence = violation ? [...violation.writes, ...commitWith(ctx, violation.transitions, violation)] : []
    await ctx.table.commit([...forged.flatMap((key) => moved(ctx, key)), ...evidence])
  })
}

function moved(ctx: Context, key: Key): Write[] {
  const set = { artifact_id: nameOf(key), refused_at: iso(ctx.now()), _type: refusedArtifacts.name }
  return [refusedArtifacts.update(refusedKey(ctx.space, key), { set }), pointers.remove(key)]
}

/** The first refused artifacts and their number; undefined when there are none. */
export async function refusedSoFar(ctx: Context): Promise<Refused | undefined> {
  const range = { pk: chainKey(ctx.space), prefix: PREFIX }
  const first = await ctx.table.query(refusedArtifacts, { ...range, limit: SHOWN_MAX })
  if (first.length === 0) return undefined
  const { total } = first.length < SHOWN_MAX ? { total: first.length } : await ctx.table.count(range)
  return { total, artifacts: first.map(({ artifact_id, refused_at }) => ({ artifact_id, refused_at })) }
}

export const Refused = z.object({
  total: z.int().describe('The total number of items.'),
  artifacts: z
    .array(RefusedArtifact.pick({ artifact_id: true, refused_at: true }))
    .describe('The first refused artifacts.'),
})
export type Refused = z.output<typeof Refused>

/** The check that a broken chain fails. */
export const CHAIN_CHECK = 'EVD-01'

/** The forger may have chosen the names, and a reported name enters the chain. */
const ARTIFACT_ID = idPattern('art')

/** The violation of a tenant whose evidence was tampered with. */
export const brokenChain = (findings: readonly Pick<Finding, 'artifact_id'>[]): Detected => ({
  check_id: CHAIN_CHECK,
  severity: 'critical',
  failing_ids: findings.flatMap(({ artifact_id: id }) => (id && ARTIFACT_ID.test(id) ? id : [])),
})
