import { endpoint } from '../../shared/edge/endpoint.ts'
import { createRunbook, RunbookInput } from '../../shared/operate/runbooks/create-runbook.ts'
import { RunbookView, runbookView } from '../../shared/operate/runbooks/runbook.ts'
import { runbooks } from './routes.ts'

export const shapes = { body: RunbookInput, response: RunbookView }

export const handler = endpoint(runbooks.create, shapes, async ({ body, ctx }) =>
  runbookView({ ...(await createRunbook(ctx, body)), built_in: false, last_used_at: null }),
)
