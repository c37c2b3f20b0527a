import type { Context } from '../context.ts'
import type { Execution } from '../executions/execution.ts'
import { openSealed } from '../executions/open.ts'
import { breachOf } from './binding.ts'
import { claim } from './carry-out.ts'
import { loadVoteInputs } from './inputs.ts'
import { supersede } from './supersede.ts'

/** Claims an approved action that nobody claimed, after the same checks as at its deciding vote. */
export async function resumeApproved(ctx: Context, { held }: Execution): Promise<void> {
  const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id: held?.id ?? '' } })
  const binding = { ...inputs, ...(await openSealed(ctx, inputs.execution)) }
  const breach = breachOf(binding)
  if (breach) await supersede(ctx, binding, breach)
  else await claim(ctx, binding)
}
