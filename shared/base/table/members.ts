// Members that the schemas of many items share. Spread them into a `z.object`.
import * as z from 'zod'

export const MODES = ['live', 'test'] as const

/** Of an item of one tenant and mode. */
export const spaceMembers = { tenant_id: z.string(), mode: z.enum(MODES) }

/** Of an item of one tenant and mode that has an id. */
export const resourceMembers = { ...spaceMembers, id: z.string() }
