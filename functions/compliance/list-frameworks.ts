import * as z from 'zod'
import { GROUPS } from '../../shared/assure/catalogue/controls.ts'
import { FrameworkView, frameworkView } from '../../shared/assure/frameworks/framework-view.ts'
import { readStates } from '../../shared/assure/frameworks/state.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({ group: z.enum(GROUPS).optional().describe('Only of this group.') }),
  response: listView(FrameworkView),
}

export const handler = endpoint(compliance.listFrameworks, shapes, async ({ query, ctx }) => {
  const all = (await readStates(ctx)).map(frameworkView)
  const wanted = all.filter(({ group }) => group === (query.group ?? group))
  return pageOf(ctx, compliance.listFrameworks.id, query, wanted, ({ id }) => id)
})
