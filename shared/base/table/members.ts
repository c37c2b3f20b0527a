// Members that the schemas of many items share. Spread them into a `z.object`.
import * as z from 'zod'

export const MODES = ['live', 'test'] as const

/** Of an item of one tenant and mode. */
export const spaceMembers = {
  tenant_id: z.string().describe('Id of the tenant.'),
  mode: z.enum(MODES).describe('Whether it belongs to live or test data.'),
}

/** Of an item of one tenant and mode that has an id. */
export const resourceMembers = { ...spaceMembers, id: z.string().describe('The id, which never changes.') }
