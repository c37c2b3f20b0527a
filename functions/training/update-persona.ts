import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { changePersona, PersonaBody } from '../../shared/learn/personas/change-persona.ts'
import { PersonaView, personaView } from '../../shared/learn/personas/persona-view.ts'
import { training } from './routes.ts'

export const shapes = { body: PersonaBody, response: PersonaView, versioned: true }

export const handler = endpoint(training.updatePersona, shapes, async ({ params, body, version, ctx }) => {
  const view = personaView(await changePersona(ctx, params.persona_key, { ...body, version }))
  return tagged(view, view.version)
})
