// What a change of a policy writes. The policy, its version, the active pointer, the evidence and the event are one transaction. Of two
// concurrent changes one fails, because both write the pointer. Whether it takes effect at once or waits is decided by makeChange.
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { AuditChange } from '../../ledger/audit/entry.ts'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { moreRules, movePointer, rulesInForce, type StatedSet, type StoredRules } from '../governance/governance.ts'
import { findPointer, readSettings } from '../governance/settings.ts'
import { type ConcerningSettings, countsAnew } from '../governance/checks/warnings.ts'
import { checkPolicy } from '../governance/checks/policy-check.ts'
import { type Policy, type PolicyBody, policyOf } from '../governance/policy.ts'
import {
  datesOf,
  policies,
  policiesOf,
  policySetVersion,
  policyVersions,
  type StoredPolicy,
} from '../governance/stored-rules.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, Failure, notFound } from '../../base/lib/failure.ts'
import { looseningOfPolicy } from '../governance/loosening.ts'
import { approvedUnder, type Asked, type PointerChange, type Under } from '../governance/change.ts'
import { mustHaveSteppedUp } from '../../identity/access/assurance.ts'
import type { Stored } from '../../base/table/entity.ts'
import { approverGroups, withStoredGroups } from './approvers.ts'
import { registeredFor } from './registered.ts'

type Change = 'created' | 'updated' | 'enabled' | 'disabled'
export type Saved = { stored: StoredPolicy; warnings: string[]; change: Change }

/** Every policy of the space in its present version, enabled or not. */
export const allPolicies = (ctx: Context): Promise<Stored<StoredPolicy>[]> =>
  ctx.table.query(policies, policiesOf(ctx.space))

/** Checks a posted policy against the others; throws 404, 409 and 422. In the returned body, directory groups are named by their ids. */
export async function checkBody(
  ctx: Context,
  sent: PolicyBody,
  { policies: all, calendars }: StoredRules,
  settings: ConcerningSettings,
) {
  const was = all.find(({ policy_id }) => policy_id === sent.policy_id)
  if (sent.policy_id && !was) throw notFound('policy')
  if (was && sent.version !== was.version) {
    throw conflict(`The resource is at version ${was.version}. Read it again, then repeat your change.`, {
      code: 'version_conflict',
    })
  }
  const others = all.filter((each) => each !== was)
  const groups = await approverGroups(ctx, sent)
  const body = withStoredGroups(sent, groups)
  const [eligible, registered] = await Promise.all([countApprovers(ctx, body), registeredFor(ctx, body)])
  const check = checkPolicy(body, {
    existing: others.map(policyOf),
    groupProblem: groups.problem,
    eligible,
    registered,
    calendars: datesOf(calendars),
    now: ctx.now(),
    settings,
  })
  if (check.violations.length > 0) throw new Failure('invalid', check.violations)
  if (check.conflict) throw conflict(check.conflict, { code: 'already_exists' })
  return { was, body, warnings: check.warnings }
}

/** Loaded only for a policy that requires approval. */
const countApprovers = async (ctx: Context, { approval }: PolicyBody) =>
  approval && (await import('./eligible-approvers.ts')).eligibleApprovers(ctx, approval)

/** The present policies, and the pointer read before them. When the pointer has changed since, the commit fails. */
type Present = { pointer: Awaited<ReturnType<typeof findPointer>>; all: StoredRules }

async function readPresent(ctx: Context): Promise<Present> {
  await mustHaveSteppedUp(ctx)
  const pointer = await findPointer(ctx.table, ctx.space)
  return { pointer, all: await rulesInForce(ctx.table, ctx.space, pointer, lost()) }
}

const lost = () => conflict('Another request has changed the policies. Try again.', { code: 'version_conflict' })

/**
 * The next version of a policy, or a new one. A change that waits for approval names directory groups by their ids, so that the approver
 * knows which groups they are. Throws 404 for an unknown policy, 409 for another version than the current one, 422 for an invalid policy.
 */
export async function policyChange(ctx: Context, sent: PolicyBody): Promise<PointerChange<Saved>> {
  const present = await readPresent(ctx)
  const { was, body, warnings } = await checkBody(ctx, sent, present.all, readSettings(present.pointer))
  const version = (was?.version ?? 0) + 1
  const policy: Policy = { ...body, policy_id: was?.policy_id ?? ctx.id('pol'), version, ...countOf(was, body) }
  return putInForce(ctx, present, policy, was, {
    asked: { change: 'policy', asked: JSON.parse(canonicalJson(body)) },
    warnings: [...warnings, ...countWarnings(was, policy)],
  })
}

/** A new version goes on counting where it counts the same. */
function countOf(was: StoredPolicy | undefined, { limit }: PolicyBody): Pick<Policy, 'counts_since'> {
  if (!was || !limit) return {}
  const before = policyOf(was)
  return { counts_since: countsAnew(before.limit, limit) ? was.version + 1 : before.counts_since }
}

const countWarnings = (was: StoredPolicy | undefined, { version, counts_since }: Policy): string[] =>
  was && counts_since === version && policyOf(was).limit ? ['The count starts again at 0.'] : []

/** The change that disables a policy. A policy that is disabled already is returned as it is. */
export async function disabling(
  ctx: Context,
  policyId: string,
  version?: number,
): Promise<PointerChange<Saved> | (Saved & { repeated: true })> {
  const present = await readPresent(ctx)
  const was = present.all.policies.find(({ policy_id }) => policy_id === policyId)
  if (!was) throw notFound('policy')
  mustBeCurrent(version, was.version)
  if (!was.enabled) return { stored: was, warnings: [], change: 'disabled', repeated: true }
  const policy: Policy = { ...policyOf(was), enabled: false, version: was.version + 1 }
  const asked = { policy_id: policyId, version: was.version }
  return putInForce(ctx, present, policy, was, { asked: { change: 'policy_disabled', asked }, warnings: [] })
}

function changeOf(was: StoredPolicy | undefined, { enabled }: Policy): Change {
  if (!was) return 'created'
  if (was.enabled === enabled) return 'updated'
  return enabled ? 'enabled' : 'disabled'
}

function putInForce(
  ctx: Context,
  { pointer, all }: Present,
  policy: Policy,
  was: Stored<StoredPolicy> | undefined,
  { asked, warnings }: Pick<Saved, 'warnings'> & { asked: Pick<Asked, 'change' | 'asked'> },
): PointerChange<Saved> {
  const now = iso(ctx.now())
  const stored: StoredPolicy = {
    ...ctx.space,
    policy_id: policy.policy_id,
    version: policy.version,
    name: policy.name,
    enabled: policy.enabled,
    body: canonicalJson(policy),
    created_at: was?.created_at ?? now,
    updated_at: now,
    updated_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
  const others = all.policies.filter((each) => each !== was).map(policyOf)
  const policy_set_version = policySetVersion([...others, policy], readSettings(pointer), moreRules(all))
  const artifact_id = ctx.id('art')
  const { write, set } = movePointer(pointer, { policy_set_version, artifact_id }, lost())
  return {
    what: 'a policy',
    loosens: looseningOfPolicy(was && policyOf(was), policy),
    asked: { ...asked, name: policy.name, version: was?.version ?? 0, changes: policyDifferences(was, policy) },
    replaces: pointer._v,
    writes: (under) => [
      was ? policies.replace(stored, was, lost()) : policies.insert(stored, lost()),
      policyVersions.insert(stored, lost()),
      write,
      ...recordedChange(ctx, policy, was, { artifact_id, set, under }),
    ],
    ref: policy.policy_id,
    result: { stored, warnings, change: changeOf(was, policy) },
  }
}

function recordedChange(
  ctx: Context,
  policy: Policy,
  was: StoredPolicy | undefined,
  { artifact_id, set, under }: { artifact_id: string; set: StatedSet; under: Under },
) {
  const { policy_id, name, version } = policy
  const change = changeOf(was, policy)
  const updated: EventDraft = {
    type: 'policy.updated',
    subject: { id: policy_id, version },
    data: {
      policy_id,
      name,
      change,
      policy_version: version,
      previous_version: was?.version ?? null,
      node_id: null,
      action_id: null,
      update_id: null,
    },
  }
  return changed(
    ctx,
    [
      {
        action: `policy.${change}`,
        artifact: 'policy.updated',
        artifact_id,
        subject: { type: 'policy', id: policy_id, name },
        data: { version, change, policy_sets: { [ctx.space.mode]: set }, ...approvedUnder(under) },
        changes: policyDifferences(was, policy),
        events: [updated],
      },
    ],
    { mails: under.mails },
  )
}

type Members = Record<string, AuditChange['after']>

/** The changed members; the entry names the version to which they lead. */
function policyDifferences(was: StoredPolicy | undefined, policy: Policy): AuditChange[] {
  const before: Members = was ? JSON.parse(was.body) : {}
  const after: Members = JSON.parse(canonicalJson(policy))
  const names = Object.keys({ ...before, ...after }).filter((name) => name !== 'policy_id')
  return differences(before, after, names)
}
