import * as z from 'zod'
import { MfaPolicy } from '../../base/tenant/tenant.ts'

/** The version is the tenant's, because the policy is a part of it. */
export const MfaPolicyView = MfaPolicy.extend({ version: z.int() })
