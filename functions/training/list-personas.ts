import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { allPersonas, PersonaView, personaView } from '../../shared/learn/personas/persona-view.ts'
import { training } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(PersonaView) }

export const handler = endpoint(training.listPersonas, shapes, async ({ query, ctx }) => {
  const all = (await allPersonas(ctx)).map(personaView)
  return pageOf(ctx, training.listPersonas.id, query, all, ({ persona_key }) => persona_key)
})
