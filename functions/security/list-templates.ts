import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { TEMPLATES } from '../../shared/govern/policies/templates.ts'
import { security } from './routes.ts'

const TemplateView = z.object({
  template_id: z.string().describe('Id of the template.'),
  name: z.string().describe('A name for people.'),
  description: z.string().describe('A description for people.'),
  parameters: z
    .array(
      z.object({
        name: z.string().describe('The name of the parameter.'),
        type: z.string().describe('`number`, `text`, or a list of them: `numbers`, `texts`.'),
        description: z.string().describe('A description for people.'),
        default: z
          .unknown()
          .optional()
          .describe('The value of a parameter that is left out; without a default it is required.'),
      }),
    )
    .describe('What is to be filled in.'),
  policy: z.looseObject({}).describe('The policy. A text `{{name}}` stands for the value of that parameter.'),
})

export const shapes = { response: z.object({ items: z.array(TemplateView).describe('All templates.') }) }

export const handler = endpoint(security.listTemplates, shapes, async () => ({ items: [...TEMPLATES] }))
