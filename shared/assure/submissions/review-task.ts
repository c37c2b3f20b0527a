// The task to decide on a submission. There is one at most: its id follows from that of the submission.
import type { Context } from '../../base/context.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import type { TaskParts } from '../../govern/tasks/store-task.ts'
import { subjectOf } from './submission-artifact.ts'
import type { Submission } from './submission.ts'

export const reviewTaskId = (id: string): string => id.replace('evd_', 'tsk_')

/** Part of the commit that submits it, inside `retryWhenOvertaken`. Nobody gets it who could have submitted the evidence. */
export const openReview = (ctx: Context, submission: Submission): Promise<TaskParts> =>
  openTask(ctx, {
    id: reviewTaskId(submission.id),
    title: `Decide on evidence: ${submission.title}`,
    kind: 'evidence_review',
    source: subjectOf(submission),
    except: submission.persons,
  })
