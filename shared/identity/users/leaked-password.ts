// Refuses passwords known from leaks, where the deployment configures a list of them. Only the first five digits of a hash
// are sent (the range protocol of Pwned Passwords), so the list does not learn the password.
import { hash } from 'node:crypto'
import { invalid } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import { outbound } from '../../base/lib/safe-http.ts'

const PREFIX = 5
const DEADLINE_MS = 1_500
const ANSWER_MAX = 262_144

/** Throws 422 about `field`. When the list does not answer, the password is accepted: an outage must not keep people out. */
export async function mustNotBeLeaked(password: string, field = 'password'): Promise<void> {
  const list = process.env.PASSWORD_RANGE_URL
  if (!list) return
  const digest = hash('sha1', password, 'hex').toUpperCase()
  const outcome = await outbound({
    url: `${list}${digest.slice(0, PREFIX)}`,
    method: 'GET',
    headers: { 'add-padding': 'true' },
    deadlineMs: DEADLINE_MS,
    answerBytesMax: ANSWER_MAX,
  })
  if (outcome.kind !== 'answer' || outcome.status !== 200) return warn('password_list_unavailable', outcome.kind)
  if (isListed(outcome.body.toString(), digest.slice(PREFIX))) {
    throw invalid([field], 'This password is known from a leak of another service. Choose another one.')
  }
}

/** One `<rest of the hash>:<times seen>` per line; lines seen 0 times are padding. */
const isListed = (ranges: string, rest: string): boolean =>
  ranges.split('\n').some((line) => {
    const [suffix, times = '0'] = line.trim().split(':')
    return suffix === rest && Number(times) > 0
  })
