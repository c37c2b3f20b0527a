// Finds the grant under which a held action may run. Its terms must be those that the chain proves, and everybody who gave it
// must still be allowed to.
import type { Context } from '../../../base/context.ts'
import { canonicalJson } from '../../../base/lib/json.ts'
import { iso } from '../../../base/lib/clock.ts'
import { alarm } from '../../../base/lib/log.ts'
import type { Write } from '../../../base/table/entity.ts'
import { artifactKey, artifacts, readable } from '../../../ledger/evidence/artifact/artifact.ts'
import { artifactHash, chainName } from '../../../ledger/evidence/artifact/hashes.ts'
import type { Header } from '../../../ledger/evidence/artifact/header.ts'
import { readSequenced } from '../../../ledger/evidence/chain/read-sequenced.ts'
import type { Submission } from '../../executions/submission.ts'
import { type Approval, approvals } from '../approval.ts'
import { ceilingOf, type Grant, grants, grantsFor, proofOf, type Repeat, serves } from './grant.ts'
import { GrantEnded } from '../limit-use.ts'
import { type Pin, pinKey, pinOf } from './pin.ts'
import { grantUsed } from './list.ts'
import { approvalFacts } from '../hold.ts'
import { provenVoters } from '../votes/proven-delegation.ts'
import { counts } from '../votes/rules.ts'
import { eligibleVoters } from '../votes/eligible.ts'

/** `writes`: use up one of its uses for a request, and let the commit fail when the grant has ended. */
export type Serving = { id: string; writes: (request_id: string) => Write[] }

/** More grants for one payload than people can give before the oldest ends. */
const LOOKED_AT = 100

/**
 * The grant under which a request may run, with the writes that use it once; undefined if none serves it. It refuses nothing: without a
 * grant the request is held. Takes neither terms nor voters from the table without proof by the chain. If the grant ends, or an
 * approver loses the right, before the commit, the commit throws `GrantEnded`.
 */
export async function servingGrant(ctx: Context, submission: Submission): Promise<Serving | undefined> {
  const { asked: wish, decision, payload, action } = submission
  if (wish.require_approval || wish.tier === 'HARD') return undefined // the caller wants to be asked
  if (!decision.grant) return undefined
  const pin = pinOf(await pinKey(ctx.space), { payload, rule: decision.grant, action })
  const asked = repeatOf(ctx, submission, pin)
  const range = { ...grantsFor({ ...ctx.space, ...asked }, ctx.now()), descending: true, limit: LOOKED_AT }
  const found = await ctx.table.query(grants, range)
  for (const grant of found.filter((one) => serves(one, asked, iso(ctx.now())))) {
    const { id } = grant
    const stays = await whileProven(ctx, grant)
    if (stays) return { id, writes: (request_id) => [use(ctx, grant), grantUsed(ctx, id, request_id), ...stays] }
  }
  return undefined
}

function repeatOf({ principal }: Context, submission: Submission, { pinned, at_most }: Pin): Repeat {
  const { action, decision, inspection, agent_bound, agent_id, policy_set_version } = submission
  return {
    requested_by: { type: principal.kind, id: principal.id },
    client_id: principal.client_id,
    agent_id: agent_bound && agent_id,
    node_id: action.node.id,
    action_id: action.endpoint.action_id,
    manifest_sha256: action.manifest_sha256,
    policy_set_version,
    policy_ids: decision.fired.filter(({ effect }) => effect === 'require_approval').map(({ policy_id }) => policy_id),
    ceiling: ceilingOf(inspection, decision.routing_decision.risk),
    pinned,
    at_most,
  }
}

const use = (ctx: Context, grant: Grant): Write =>
  grants.update(
    grant,
    {
      add: { uses: 1 },
      condition: {
        expression: '#uses < :most AND attribute_not_exists(#revoked_at) AND #expires_at > :now',
        names: { '#uses': 'uses', '#revoked_at': 'revoked_at', '#expires_at': 'expires_at' },
        values: { ':most': grant.max_uses, ':now': iso(ctx.now()) },
      },
    },
    new GrantEnded(),
  )

/** Checks that let the commit fail if the approval of the grant loses its evidence or a voter; undefined if it has already. */
async function whileProven(ctx: Context, grant: Grant): Promise<Write[] | undefined> {
  const [header, held] = await Promise.all([
    readSequenced(ctx, grant.artifact_id),
    ctx.table.get(readable(approvals), { ...ctx.space, id: grant.approval_id }),
  ])
  if (!header || !held || !isProven(ctx, grant, { header, held })) {
    alarm('grant_without_evidence', 'the table states what the chain does not prove', { id: grant.id })
    return undefined
  }
  const votes = held.votes.filter(counts)
  const eligible = await provenVoters(ctx, await eligibleVoters(ctx.table, ctx.space, held))
  const { persons } = ctx.principal
  // The requester may be somebody else by now, because a secret was shown to another person.
  const isOwn = votes.some((vote) => !vote.self && vote.persons.some((person) => persons.includes(person)))
  if (isOwn || !votes.every(({ by }) => eligible.has(by.id))) return undefined
  const stays = [...eligible.values()].flatMap((one) =>
    one.stillEligible.map((write) => ({ ...write, otherwise: new GrantEnded() })),
  )
  const ah = artifactHash(canonicalJson(header))
  const same = { expression: '#ah = :ah', names: { '#ah': 'ah' }, values: { ':ah': ah } }
  return [...stays, artifacts.check(artifactKey(ctx.space, grant.artifact_id), same, new GrantEnded())]
}

type Proof = { header: Header; held: Approval }

function isProven({ space }: Context, grant: Grant, { header, held }: Proof): boolean {
  const { grant_id, grant_terms } = proofOf(grant)
  return (
    header.type === 'approval.approved' &&
    header.chain === chainName(space) &&
    header.data?.grant_id === grant_id &&
    header.data.grant_terms === grant_terms &&
    held.status === 'approved' &&
    canonicalJson(header.approval ?? null) === canonicalJson(approvalFacts(held, 'approve'))
  )
}
