import * as z from 'zod'
import { ControlFilters, ControlView, filtered, NOTICE } from '../../shared/assure/frameworks/control-view.ts'
import { controlViews } from '../../shared/assure/frameworks/control-views.ts'
import { readState } from '../../shared/assure/frameworks/state.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = {
  query: ListQuery.extend(ControlFilters.shape),
  response: listView(ControlView).extend({ notice: z.string().describe('What the statuses do not say.') }),
}

export const handler = endpoint(compliance.listControls, shapes, async ({ params, query, ctx }) => {
  const state = await readState(ctx, params.id)
  const wanted = { ...query, framework_id: state.framework_id }
  const found = filtered(controlViews(state), query)
  return { ...(await pageOf(ctx, compliance.listControls.id, wanted, found, ({ key }) => key)), notice: NOTICE }
})
