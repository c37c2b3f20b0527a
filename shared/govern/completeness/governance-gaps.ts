// Compares policies and settings, delegations, freezes and revoked grants with the artifacts of their changes. Somebody who writes
// to the table could put other or earlier policies into force, name a delegate, end a freeze, or revive an ended delegation or grant.
import * as z from 'zod'
import { policyOf } from '../governance/policy.ts'
import type { Context, Mode } from '../../base/context.ts'
import { MODES } from '../../base/table/members.ts'
import { artifactIdOf, artifactKey, readable } from '../../ledger/evidence/artifact/artifact.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { type ViewableArtifact, viewableArtifacts } from '../../ledger/evidence/artifact/view.ts'
import { gap, type Gaps, NO_GAPS, sumOf } from '../../ledger/evidence/verify/gaps.ts'
import { isUnchanged, moreRules, readRules, type StatedSet } from '../governance/governance.ts'
import { DEFAULT_SETTINGS, type Pointer, readSettings, storedPointer } from '../governance/settings.ts'
import { policySetVersion } from '../governance/stored-rules.ts'
import type { Key } from '../../base/table/entity.ts'
import { type Delegation, delegations } from '../delegations/delegation.ts'
import { ends, proves } from '../delegations/proof.ts'
import { grantById, grants } from '../approvals/grants/grant.ts'
import { type Freeze, freezes } from '../freezes/freeze.ts'
import { type ActiveFreeze, readFreezes } from '../governance/freeze.ts'

type Stated = Partial<Record<Mode, StatedSet>>

const PUTS_IN_FORCE: ReadonlySet<string | undefined> = new Set([
  'policy.updated',
  'policy.calendar.updated',
  'policy.lexicon.updated',
  'identity.tenant.created',
  'identity.tenant.updated',
])

const Version = z.string()
const Stated = z.partialRecord(
  z.enum(MODES),
  z.object({
    version: Version,
    number: z.int(),
    previous: z.object({ version: Version, artifact_id: z.string().optional() }).optional(),
  }),
)

/** What an artifact says of the sets that it put into force. */
function statedIn(text: string): Stated {
  const header = readHeader(text)
  const stated = PUTS_IN_FORCE.has(header?.type) ? Stated.safeParse(header?.data?.policy_sets) : undefined
  return stated?.data ?? {}
}

/** By artifact. Settings of both modes are stated in the live chain. */
async function readStated({ table, space }: Context, ids: readonly string[]): Promise<Map<string, Stated>> {
  const keys = ids.flatMap((id) => MODES.map((mode) => artifactKey({ ...space, mode }, id)))
  const items = await table.read(viewableArtifacts, keys)
  return new Map(items.flatMap((item) => (item ? [[artifactIdOf(item.sk), statedIn(item.header)] as const] : [])))
}

/** Policies and settings: from the chain to the table. No change is undone, and each followed the one before. `found`: any artifacts. */
export async function gapsOfPolicySetsIn(ctx: Context, found: readonly ViewableArtifact[]): Promise<Gaps> {
  const changes = found.flatMap(({ sk, header }) =>
    Object.entries(statedIn(header)).map(([mode, set]) => ({ id: artifactIdOf(sk), mode: mode as Mode, set })),
  )
  if (changes.length === 0) return NO_GAPS
  const before = await readStated(
    ctx,
    changes.flatMap(({ set }) => set.previous?.artifact_id ?? []),
  )
  const numbers = new Map(await Promise.all(MODES.map(async (mode) => [mode, await numberIn(ctx, mode)] as const)))
  const follows = ({ mode, set: { number, previous } }: (typeof changes)[number]): boolean => {
    if (number === 1) return previous === undefined
    const stated = before.get(previous?.artifact_id ?? '')?.[mode]
    return stated?.version === previous?.version && stated?.number === number - 1
  }
  return sumOf(
    changes.map((change) => {
      const isCounted = change.set.number <= (numbers.get(change.mode) ?? 0)
      return isCounted && follows(change) ? NO_GAPS : gap(change.id, { contradicted: 1 })
    }),
  )
}

const numberIn = async ({ table, space }: Context, mode: Mode): Promise<number> =>
  (await storedPointer(table, { ...space, mode }))?.set_number ?? 0

/** Policies and settings: from the table to the chain. The set in force is the one that its artifact put into force. */
export async function gapsOfPolicySet(ctx: Context): Promise<Gaps> {
  const pointer = await storedPointer(ctx.table, ctx.space)
  if (!pointer) return gap(ctx.space.tenant_id, { missing: 1 })
  const { policy_set_version: version, set_number: number, set_artifact_id: id } = pointer
  const stated = id === undefined ? undefined : (await readStated(ctx, [id])).get(id)?.[ctx.space.mode]
  const isStated =
    isUnchanged(pointer) || (stated !== undefined && stated.version === version && stated.number === number)
  if (isStated && (await matchesRows(ctx, pointer))) return NO_GAPS
  const now = await storedPointer(ctx.table, ctx.space)
  return now?._v === pointer._v ? gap(id ?? ctx.space.tenant_id, { contradicted: 1 }) : NO_GAPS
}

/** Whether the rows are those that the pointer names. */
async function matchesRows(ctx: Context, pointer: Pointer): Promise<boolean> {
  try {
    const rules = await readRules(ctx.table, ctx.space)
    const { policy_set_version = policySetVersion([], DEFAULT_SETTINGS) } = pointer
    return (
      policySetVersion(rules.policies.map(policyOf), readSettings(pointer), moreRules(rules)) === policy_set_version
    )
  } catch {
    return false // a row that cannot be read
  }
}

/** Delegations: from the chain to the table. `found`: any artifacts; those about delegations are looked at. */
export async function gapsOfDelegationsIn(ctx: Context, found: readonly ViewableArtifact[]): Promise<Gaps> {
  const headers = found
    .filter(({ facts }) => facts.type === 'delegation.created' || facts.type === 'delegation.ended')
    .flatMap(({ header }) => readHeader(header) ?? [])
  const keys = headers.map(({ subject, data }) => ({
    ...ctx.space,
    id: subject?.id ?? '',
    from_user_id: typeof data?.from_user_id === 'string' ? data.from_user_id : '',
  }))
  const rows = await ctx.table.getAll(readable(delegations), keys)
  const byId = new Map(rows.flatMap((row) => (row ? [[row.id, row] as const] : [])))
  return sumOf(
    headers.map((header) => {
      const id = header.subject?.id ?? ''
      const row = byId.get(id)
      if (!row) return gap(id, { missing: 1 })
      const agrees = header.type === 'delegation.created' ? proves(header, row) : row.ended_at !== undefined
      return agrees ? NO_GAPS : gap(id, { contradicted: 1 })
    }),
  )
}

/** Delegations: from the table to the chain. */
export async function gapsOfDelegations(ctx: Context, keys: readonly Key[]): Promise<Gaps> {
  const read = await ctx.table.read(readable(delegations), keys)
  const rows = read.filter((one) => one !== undefined)
  const named = rows.flatMap(({ artifact_id, end_artifact_id }) => [
    artifact_id,
    ...(end_artifact_id === undefined ? [] : [end_artifact_id]),
  ])
  const items = await ctx.table.read(
    viewableArtifacts,
    named.map((id) => artifactKey(ctx.space, id)),
  )
  const headers = new Map(
    items.flatMap((item) => (item ? [[artifactIdOf(item.sk), readHeader(item.header)] as const] : [])),
  )
  const gapOf = (row: Delegation): Gaps => {
    const begun = headers.get(row.artifact_id)
    if (!begun) return gap(row.id, { missing: 1 })
    const ended = headers.get(row.end_artifact_id ?? '')
    const agrees = proves(begun, row) && (row.ended_at === undefined || (ended !== undefined && ends(ended, row)))
    return agrees ? NO_GAPS : gap(row.id, { contradicted: 1 })
  }
  return sumOf([...rows.map(gapOf), { ...NO_GAPS, missing: read.length - rows.length }])
}

type About = { id: string; item: ViewableArtifact }

/** Freezes and revoked grants: from the chain to the table. `found`: any artifacts; those about freezes and grants are looked at. */
export async function gapsOfStops(ctx: Context, found: readonly ViewableArtifact[]): Promise<Gaps> {
  const of = (type: string): About[] =>
    found.flatMap((item) =>
      item.facts.type === type && item.facts.subject ? [{ id: item.facts.subject.id, item }] : [],
    )
  return sumOf([
    await gapsOfFreezes(ctx, of('policy.freeze.set'), of('policy.freeze.lifted')),
    ...(await Promise.all(of('approval.grant.revoked').map((one) => gapOfRevocation(ctx, one)))),
  ])
}

async function gapsOfFreezes(ctx: Context, set: readonly About[], lifted: readonly About[]): Promise<Gaps> {
  if (set.length + lifted.length === 0) return NO_GAPS
  // Before the freezes themselves: one that is lifted meanwhile is still in force here.
  const inForce = await freezesInForce(ctx)
  const keys = [...set, ...lifted].map(({ id }) => ({ ...ctx.space, id }))
  const rows = (await ctx.table.getAll(readable(freezes), keys)).filter((one) => one !== undefined)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const liftings = await readLiftings(ctx, rows)
  const asSet = ({ id, item }: About, row: Freeze): boolean => {
    const scope = readHeader(item.header)?.data?.scope
    if (JSON.stringify(row.scope) !== scope) return false
    return row.status === 'lifted' ? liftings.get(row.lift_artifact_id ?? '') === id : inForce.get(id) === scope
  }
  const asLifted = ({ item }: About, row: Freeze): boolean =>
    row.status === 'lifted' && row.lift_artifact_id === artifactIdOf(item.sk)
  const judge = (agrees: (about: About, row: Freeze) => boolean) => (about: About) => {
    const row = byId.get(about.id)
    if (!row) return gap(about.id, { missing: 1 })
    return agrees(about, row) ? NO_GAPS : gap(about.id, { contradicted: 1 })
  }
  return sumOf([...set.map(judge(asSet)), ...lifted.map(judge(asLifted))])
}

/** The scope of each, as text. A pointer that cannot be read lets nothing run, and proves nothing. */
async function freezesInForce(ctx: Context): Promise<Map<string, string>> {
  return new Map(
    activeIn(await storedPointer(ctx.table, ctx.space)).map(({ id, scope }) => [id, JSON.stringify(scope)]),
  )
}

function activeIn(pointer: Pointer | undefined): readonly ActiveFreeze[] {
  try {
    return pointer ? readFreezes(pointer) : []
  } catch {
    return []
  }
}

/** Which freeze each artifact lifts. */
async function readLiftings(ctx: Context, rows: readonly Freeze[]): Promise<Map<string, string>> {
  const keys = rows.flatMap(({ lift_artifact_id: id }) => (id === undefined ? [] : [artifactKey(ctx.space, id)]))
  const items = (await ctx.table.read(viewableArtifacts, keys)).filter((item) => item !== undefined)
  const liftings = items.filter(({ facts }) => facts.type === 'policy.freeze.lifted')
  return new Map(liftings.map(({ sk, facts }) => [artifactIdOf(sk), facts.subject?.id ?? '']))
}

async function gapOfRevocation({ table, space }: Context, { id }: About): Promise<Gaps> {
  const [grant] = await table.query(readable(grants), grantById(space, id))
  if (!grant) return gap(id, { missing: 1 })
  return grant.revoked_at === undefined ? gap(id, { contradicted: 1 }) : NO_GAPS
}
