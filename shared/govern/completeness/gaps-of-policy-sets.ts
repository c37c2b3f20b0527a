// Holds the policies and settings in force against the artifacts of their changes, because whoever writes to the table could put
// other ones into force there, or earlier ones.
import { policyOf } from '../governance/policy.ts'
import * as z from 'zod'
import type { Context, Mode } from '../../base/context.ts'
import { MODES } from '../../base/table/members.ts'
import { artifactIdOf, artifactKey } from '../../ledger/evidence/artifact/artifact.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { type ViewableArtifact, viewableArtifacts } from '../../ledger/evidence/artifact/view.ts'
import { gap, type Gaps, NO_GAPS, sumOf } from '../../ledger/evidence/verify/gaps.ts'
import { isUnchanged, moreRules, readRules, type StatedSet } from '../governance/governance.ts'
import { DEFAULT_SETTINGS, type Pointer, readSettings, storedPointer } from '../governance/settings.ts'
import { policySetVersion } from '../governance/stored-rules.ts'

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

/** From the chain to the table: nothing later is undone, and each change followed the one before. `found`: any artifacts. */
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

/** From the table to the chain: what is in force is what its artifact put into force. */
export async function gapsOfPolicySet(ctx: Context): Promise<Gaps> {
  const pointer = await storedPointer(ctx.table, ctx.space)
  if (!pointer) return gap(ctx.space.tenant_id, { missing: 1 })
  const { policy_set_version: version, set_number: number, set_artifact_id: id } = pointer
  const stated = id === undefined ? undefined : (await readStated(ctx, [id])).get(id)?.[ctx.space.mode]
  const isStated =
    isUnchanged(pointer) || (stated !== undefined && stated.version === version && stated.number === number)
  if (isStated && (await stands(ctx, pointer))) return NO_GAPS
  const now = await storedPointer(ctx.table, ctx.space)
  return now?._v === pointer._v ? gap(id ?? ctx.space.tenant_id, { contradicted: 1 }) : NO_GAPS
}

/** Whether the rows are those that the pointer names. */
async function stands(ctx: Context, pointer: Pointer): Promise<boolean> {
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
