import type { Context } from '../../base/context.ts'
import { unauthenticated } from '../../base/wire/unauthenticated.ts'
import { sessions } from '../sessions/session.ts'
import type { Update, Write } from '../../base/table/entity.ts'

/**
 * The write that notes on the caller's session that a factor was shown. The commit fails with 401 when the session has ended.
 */
export function factorUseWrites(
  { principal }: Context,
  amr: readonly string[],
  mfa_at: number,
  set: Update['set'] = {},
): Write[] {
  const { session_id: sid, amr: before = [] } = principal
  if (sid === undefined) return []
  const alive = {
    expression: 'attribute_exists(pk) AND #state <> :revoked',
    names: { '#state': 'state' },
    values: { ':revoked': 'revoked' },
  }
  const all = [...new Set([...before, ...amr])]
  return [sessions.update({ sid }, { set: { ...set, mfa_at, amr: all }, condition: alive }, unauthenticated())]
}
