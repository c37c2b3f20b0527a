import * as z from 'zod'
import { MfaPolicy } from '../../base/tenant/tenant.ts'

/** The version is that of the tenant, whose part the policy is. */
export const MfaPolicyView = MfaPolicy.extend({ version: z.int() })
