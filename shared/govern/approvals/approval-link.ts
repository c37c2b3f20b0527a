import { pagesUrl } from '../../identity/sso/addresses.ts'

/** The page on which a signed-in person sees the exact action and decides. It holds no credential. */
export const approvalLink = (tenantId: string, approvalId: string): string => `${pagesUrl()}${tenantId}/${approvalId}`
