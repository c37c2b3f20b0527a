// Holds freezes and revoked grants against the artifacts of their changes, because whoever writes to the table could end a
// freeze there, or bring a revoked grant back to life.
import { grantById, grants } from '../approvals/grants/grant.ts'
import type { Context } from '../../base/context.ts'
import { artifactIdOf, artifactKey, readable } from '../../ledger/evidence/artifact/artifact.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { type ViewableArtifact, viewableArtifacts } from '../../ledger/evidence/artifact/view.ts'
import { gap, type Gaps, NO_GAPS, sumOf } from '../../ledger/evidence/verify/gaps.ts'
import { type Freeze, freezes } from '../freezes/freeze.ts'
import { type ActiveFreeze, readFreezes } from '../governance/freeze.ts'
import { type Pointer, storedPointer } from '../governance/settings.ts'

type About = { id: string; item: ViewableArtifact }

/** `found`: any artifacts; those about freezes and grants are looked at. */
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
