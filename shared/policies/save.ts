// Changes of the policy set. The policy, its version, the pointer that puts it in force, the evidence and the event are
// one transaction; two changes at once cannot both win, because both move the pointer.
import type { Context } from '../context.ts'
import { newArtifacts } from '../evidence/artifact.ts'
import { recorded } from '../evidence/record.ts'
import { findPointer, readSettings } from '../governance/active.ts'
import { checkPolicy, POLICIES_MAX } from '../governance/policy-check.ts'
import { Policy, type PolicyBody } from '../governance/policy.ts'
import { policySetVersion } from '../governance/set-version.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { iso } from '../lib/clock.ts'
import { conflict, Failure, notFound } from '../lib/failure.ts'
import type { Stored } from '../table/entity.ts'
import { governancePointers, policies, policiesPartition, policyVersions, type StoredPolicy } from './stored-policy.ts'

type Change = 'created' | 'updated' | 'enabled' | 'disabled'
export type Saved = { stored: StoredPolicy; warnings: string[]; change: Change }

export const policyOf = ({ body }: StoredPolicy): Policy => Policy.parse(JSON.parse(body))

/** Every policy of the space as it stands now, enabled or not. */
export const allPolicies = (ctx: Context): Promise<Stored<StoredPolicy>[]> =>
  ctx.table.query(policies, { pk: policiesPartition(ctx.space) })

/** Checks a posted policy against the others; throws 404, 409 and 422. */
export function checkBody(body: PolicyBody, all: readonly Stored<StoredPolicy>[]) {
  const was = all.find(({ policy_id }) => policy_id === body.policy_id)
  if (body.policy_id && !was) throw notFound('policy')
  if (was && body.version !== was.version) {
    throw conflict(`The current version is ${was.version}.`, { code: 'version_conflict' })
  }
  const others = all.filter((each) => each !== was)
  if (!was && others.length >= POLICIES_MAX) throw conflict(`A tenant has at most ${POLICIES_MAX} policies.`)
  const check = checkPolicy(body, { existing: others.map(policyOf) })
  if (check.violations.length > 0) throw new Failure('invalid', check.violations)
  if (check.conflict) throw conflict(check.conflict, { code: 'already_exists' })
  return { was, warnings: check.warnings }
}

export async function savePolicy(ctx: Context, body: PolicyBody): Promise<Saved> {
  const all = await allPolicies(ctx)
  const { was, warnings } = checkBody(body, all)
  const policy: Policy = {
    ...body,
    policy_id: was?.policy_id ?? ctx.id('pol'),
    version: (was?.version ?? 0) + 1,
  }
  const stored = await putInForce(ctx, all, policy, was)
  return { stored, warnings, change: changeOf(was, policy) }
}

/** Takes a policy out of force; a second time changes nothing. */
export async function disablePolicy(ctx: Context, policyId: string): Promise<Saved & { repeated: boolean }> {
  const all = await allPolicies(ctx)
  const was = all.find(({ policy_id }) => policy_id === policyId)
  if (!was) throw notFound('policy')
  if (!was.enabled) return { stored: was, warnings: [], change: 'disabled', repeated: true }
  const policy: Policy = { ...policyOf(was), enabled: false, version: was.version + 1 }
  return { stored: await putInForce(ctx, all, policy, was), warnings: [], change: 'disabled', repeated: false }
}

function changeOf(was: StoredPolicy | undefined, { enabled }: Policy): Change {
  if (!was) return 'created'
  if (was.enabled === enabled) return 'updated'
  return enabled ? 'enabled' : 'disabled'
}

async function putInForce(
  ctx: Context,
  all: readonly Stored<StoredPolicy>[],
  policy: Policy,
  was: Stored<StoredPolicy> | undefined,
): Promise<StoredPolicy> {
  const pointer = await findPointer(ctx.table, ctx.space)
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
  const others = all.filter((each) => each !== was && each.enabled).map(policyOf)
  const settings = readSettings(pointer)
  const policy_set_version = policySetVersion(policy.enabled ? [...others, policy] : others, settings)
  const lost = conflict('The policies were changed by another request; try again.', { code: 'version_conflict' })
  const next = { ...ctx.space, policy_set_version, settings: pointer?.settings }
  const [artifact] = newArtifacts(ctx, {
    type: 'policy.updated',
    subject: { type: 'policy', id: policy.policy_id },
    data: { version: policy.version, change: changeOf(was, policy), policy_set_version },
  })
  await ctx.table.commit(
    [
      was ? policies.replace(stored, was, lost) : policies.insert(stored, lost),
      policyVersions.insert(stored, lost),
      pointer ? governancePointers.replace(next, pointer, lost) : governancePointers.insert(next, lost),
      ...recorded(ctx, [
        {
          artifact,
          events: [
            {
              type: 'policy.updated',
              subject: { id: policy.policy_id, version: policy.version },
              data: {
                policy_id: policy.policy_id,
                name: policy.name,
                change: changeOf(was, policy),
                policy_version: policy.version,
                previous_version: was?.version ?? null,
                node_id: null,
                action_id: null,
                update_id: null,
              },
            },
          ],
        },
      ]),
    ],
    policy.policy_id,
  )
  return stored
}
