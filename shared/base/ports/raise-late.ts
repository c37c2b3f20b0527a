// The alert that an SLA raises with its step `alert`. Work knows no alerts; the layer above fills this where functions are made.
import type { Mail } from '../../ledger/events/mail.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Context } from '../context.ts'
import type { Write } from '../table/entity.ts'

/** Work that takes too long: what it is about, and how much of its time is used up (percent). */
export type Late = { labels: { task_id: string } | { approval_id: string }; title: string; percent: number }

/** Parts of the commit that notes the step, and what is left to do after it. */
export type Raised = { writes: Write[]; transitions: Transition[]; mails: Mail[]; finish: () => Promise<void> }

/** Called anew whenever the commit is overtaken. */
export type RaiseLate = (ctx: Context, late: Late) => Promise<Raised>
