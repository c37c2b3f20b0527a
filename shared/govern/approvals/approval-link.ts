import { env } from '../../base/lib/env.ts'

/** The page on which a signed-in person sees the exact action and decides. It holds no credential. */
export const approvalLink = (approvalId: string): string => `${env('APP_URL')}/approvals/${approvalId}`
