import * as z from 'zod'
import { DESCRIPTIONS } from '../../shared/identity/roles/permission-descriptions.ts'
import { type Permission, PERMISSIONS, ROLES, SCOPES } from '../../shared/base/catalog/permissions.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { roles } from './routes.ts'

export const shapes = {
  response: z.object({
    items: z
      .array(
        z.object({
          id: z.string().describe('The id, which never changes.'),
          /** The scope of API keys that includes it; null: no key can hold it. */
          scope: z.enum(SCOPES).nullable().describe('The scope that gives this permission to a key.'),
          roles: z.array(z.string()).describe('Roles, by name.'),
          description: z.string().describe('A description for people.'),
        }),
      )
      .describe('The items of this page.'),
  }),
}

const ITEMS = (Object.keys(PERMISSIONS) as Permission[]).map((id) => {
  const { scope, roles: letters } = PERMISSIONS[id]
  const holders = Object.entries(ROLES).filter(([letter]) => letters.includes(letter))
  return { id, scope, roles: holders.map(([, role]) => role), description: DESCRIPTIONS[id] }
})

export const handler = endpoint(roles.permissions, shapes, async () => ({ items: ITEMS }))
