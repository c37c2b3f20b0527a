import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { findPersona, PersonaView, personaView } from '../../shared/learn/personas/persona-view.ts'
import { training } from './routes.ts'

export const shapes = { response: PersonaView, versioned: true }

export const handler = endpoint(training.getPersona, shapes, async ({ params, ctx }) => {
  const view = personaView(await findPersona(ctx, params.persona_key))
  return tagged(view, view.version)
})
