import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { TEMPLATES } from '../../shared/govern/policies/templates.ts'
import { security } from './routes.ts'

const TemplateView = z.object({
  template_id: z.string(),
  name: z.string(),
  description: z.string(),
  parameters: z.array(
    z.object({ name: z.string(), type: z.string(), description: z.string(), default: z.unknown().optional() }),
  ),
  policy: z.looseObject({}),
})

export const shapes = { response: z.object({ items: z.array(TemplateView) }) }

export const handler = endpoint(security.listTemplates, shapes, async () => ({ items: [...TEMPLATES] }))
