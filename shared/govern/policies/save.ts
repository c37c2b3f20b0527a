// Changes policies, calendars and the tenant's own words. Each change takes effect at once, or waits for a person if it loosens and no
// person makes it; makeChange says when, and what it refuses. Each throws 409 for another version than the current one.
import type { Context } from '../../base/context.ts'
import type { PolicyBody } from '../governance/policy.ts'
import { isWaiting, makeChange, type Waiting } from '../protocol/loosen.ts'
import { type CalendarBody, calendarChange, type SavedCalendar } from './calendars.ts'
import { type LexiconBody, lexiconChange, type LexiconView } from './lexicon.ts'
import { disabling, policyChange, type Saved } from './policy-change.ts'

/** Creates a policy or makes its next version. */
export const savePolicy = async (ctx: Context, sent: PolicyBody): Promise<Saved | Waiting> =>
  makeChange(ctx, await policyChange(ctx, sent))

/** Disables a policy. A repeat changes nothing. */
export async function disablePolicy(
  ctx: Context,
  policyId: string,
  version?: number,
): Promise<(Saved & { repeated: boolean }) | Waiting> {
  const change = await disabling(ctx, policyId, version)
  if ('repeated' in change) return change
  const made = await makeChange(ctx, change)
  return isWaiting(made) ? made : { ...made, repeated: false }
}

/** Creates or replaces a calendar. Other dates loosen where a policy in force names it. */
export const saveCalendar = async (ctx: Context, name: string, body: CalendarBody): Promise<SavedCalendar | Waiting> =>
  makeChange(ctx, await calendarChange(ctx, name, body))

/** Replaces the words. Words that may let an action pass loosen. */
export const saveLexicon = async (ctx: Context, body: LexiconBody): Promise<LexiconView | Waiting> =>
  makeChange(ctx, await lexiconChange(ctx, body))
