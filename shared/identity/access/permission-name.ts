import * as z from 'zod'
import { type Permission, PERMISSIONS } from '../../base/catalog/permissions.ts'

const names = Object.keys(PERMISSIONS) as [Permission, ...Permission[]]

/** What can be granted, denied or put into a role: everything but `self`, which every person has. */
export const PermissionName = z
  .enum(names)
  .refine((name) => name !== 'self', 'Everybody has the permission self, so you cannot give it. Leave it out.')
  .meta({ enum: names.filter((name) => name !== 'self') })
