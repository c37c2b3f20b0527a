// Refusals of messages for their times. They name both times, since a wrong clock is the usual cause.
import { iso } from '../../base/lib/clock.ts'
import { type InvalidMessage, invalidMessage } from './refusal.ts'

/** Both in ms. */
export const early = (at: number, now: number): InvalidMessage =>
  invalidMessage('time', `The assertion is valid from ${iso(at)} on, and here it is ${iso(now)}. Compare the clocks.`)

/** `what`: what happened at that time. */
export const late = (what: string, at: number, now: number): InvalidMessage =>
  invalidMessage('time', `The assertion ${what} ${iso(at)}, and here it is ${iso(now)}. Compare the clocks.`)
