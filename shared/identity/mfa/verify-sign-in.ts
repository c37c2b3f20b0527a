// A person shows a second factor: to finish a sign-in, or again in a session that is to make sensitive changes (step-up).
import { invalidToken } from '../access/link.ts'
import { rememberSignIn } from '../security-events/note-success.ts'
import { mustHaveOpenFactors, noteWrongCode } from '../security-events/attempts.ts'
import { writeAuditEntry } from '../../ledger/audit/write-audit-entry.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { mustBeAllowedIn, openSession } from '../sessions/open-session.ts'
import { hasEndedSince } from '../sessions/slo-handle.ts'
import type { Tokens } from '../sessions/sign-in-view.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { actingAs, ownUser } from '../accounts/find.ts'
import { type User, users } from '../accounts/user.ts'
import { factorsOf } from './factor.ts'
import { findPending, type Pending, release, takeTry } from './pending.ts'
import { type FactorInput, type FactorProof, showFactor } from './show-factor.ts'
import { mustBeAllowed } from '../access/allowlist.ts'
import { mustBeSignedIn } from '../access/assurance.ts'
import { iso } from '../../base/lib/clock.ts'
import { factorUseWrites } from './enrol.ts'

/**
 * Finishes a sign-in: a correct factor releases the pool's tokens, once, and opens the session. Throws 401 with one text for every
 * invalid token, and with one for every wrong factor. Each call uses one of the five attempts before the factor is checked, so
 * concurrent guesses gain nothing. Of two correct answers one gets the session. If the process dies after the release, the person
 * signs in again.
 */
export async function verifySignIn(ctx: Context, mfa_token: string, input: FactorInput): Promise<Tokens> {
  const pending = await findPending(ctx, mfa_token)
  if (!pending) throw invalidToken()
  const user = await ownerOf(ctx, pending)
  const by = actingAs(ctx, user)
  await mustHaveOpenFactors(by, user.id)
  if (!(await takeTry(by, pending))) throw invalidToken()
  const known = await factorsOf(by.table, user)
  const proof = await showFactor(by, user, known, { ...input, challenge_id: pending.challenge_id })
  if (!proof) throw await wrongFactor(by, user)
  return finish(by, user, pending, proof)
}

/** Checks account, tenant and the sign-in at a provider again, because they may have changed since the first factor. */
async function ownerOf(ctx: Context, { tenant_id, user_id, created_at, begun }: Pending): Promise<Stored<User>> {
  const { slo_key } = begun
  const since = Math.floor(created_at / 1_000)
  const [user, tenant, over] = await Promise.all([
    ctx.table.get(users, { tenant_id, id: user_id }),
    tenantOf(ctx.table, tenant_id),
    slo_key !== undefined && hasEndedSince(ctx.table, { tenant_id, slo_key, since }),
  ])
  const ended = user?.tenant_id !== undefined && Date.parse(user.tokens_valid_after ?? '') > created_at
  if (user?.status !== 'active' || ended || over) throw invalidToken()
  await mustBeAllowedIn(ctx, user, tenant)
  return user
}

/** Counts a wrong factor, writes it to the audit log, and returns the error for the caller. */
export async function wrongFactor(ctx: Context, user: User): Promise<Failure> {
  await noteWrongCode(ctx, user)
  await writeAuditEntry(ctx, {
    action: 'mfa.verify',
    subject: { type: 'user', id: user.id, name: user.name },
    outcome: 'failure',
    reason: 'wrong second factor',
  })
  return new Failure('unauthenticated', 'Your second factor was not accepted. Check it and try again.')
}

async function finish(ctx: Context, user: Stored<User>, pending: Pending, proof: FactorProof): Promise<Tokens> {
  const { write, tokens } = await release(ctx, pending)
  await commitOnce(ctx, [write, ...proof.writes, ...factorEvidence(ctx, proof)])
  const { request } = ctx
  const { country, amr } = pending.begun
  const result = await openSession(ctx, user, tokens, {
    ...pending.begun,
    amr: [...new Set([...amr, ...proof.amr])],
    mfa: proof.method,
    mfa_at: ctx.now(),
    state: 'active',
  })
  await rememberSignIn(ctx, { user, ip: request.ip, user_agent: request.user_agent, country })
  return result
}

/** Fails like an invalid token when a concurrent request has released the tokens. */
async function commitOnce(ctx: Context, writes: readonly Write[]): Promise<void> {
  try {
    await ctx.table.commit(writes)
  } catch (error) {
    throw error instanceof ConditionFailed ? invalidToken() : error
  }
}

/** The evidence of using a factor. Most factors leave none. */
export function factorEvidence(ctx: Context, { changes, mails }: FactorProof): Write[] {
  const [first, ...others] = changes
  return first ? changed(ctx, [first, ...others], { mails }) : []
}

/**
 * Notes on the session of a signed-in person that they have shown a second factor, so that it may make sensitive changes for a
 * while. Throws 401 for a wrong factor. The session continues in any case.
 */
export async function stepUp(ctx: Context, input: FactorInput): Promise<{ mfa_at: string }> {
  if (ctx.principal.credential === 'system') throw invalidToken()
  mustBeSignedIn(ctx)
  const [user, tenant] = await Promise.all([ownUser(ctx), tenantOf(ctx.table, ctx.space.tenant_id)])
  mustBeAllowed(tenant, ctx.request.ip)
  await mustHaveOpenFactors(ctx, user.id)
  const proof = await showFactor(ctx, user, await factorsOf(ctx.table, user), input)
  if (!proof) throw await wrongFactor(ctx, user)
  const mfa_at = ctx.now()
  await ctx.table.commit([
    ...proof.writes,
    ...(await factorUseWrites(ctx, proof.amr, mfa_at)),
    ...changed(
      ctx,
      [
        {
          action: 'mfa.verified',
          artifact: 'identity.mfa.verified',
          subject: { type: 'user', id: user.id, name: user.name },
          data: { method: proof.method },
        },
        ...proof.changes,
      ],
      { mails: proof.mails },
    ),
  ])
  return { mfa_at: iso(mfa_at) }
}
